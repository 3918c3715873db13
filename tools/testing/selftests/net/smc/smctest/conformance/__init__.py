# SPDX-License-Identifier: GPL-2.0
"""A scripted peer: TCP with option 254, CLC, LLC, CDC and RDMA, byte by byte.

Its messages and expectations, here and in smctest.wire, are written from the
RFC and share no code with the module under test.
"""
