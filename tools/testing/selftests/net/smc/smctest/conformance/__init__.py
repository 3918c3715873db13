# SPDX-License-Identifier: GPL-2.0
"""A scripted peer: TCP with option 254, CLC, LLC, CDC and RDMA, byte by byte.

What it sends and expects is written down here and in smctest.wire once
more, from the RFC; nothing is shared with the module under test.
"""
