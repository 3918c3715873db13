# SPDX-License-Identifier: GPL-2.0
"""A scripted peer of the module under test. This program writes every byte of
TCP option 254, CLC, LLC, CDC and RDMA itself.

The messages and expectations, here and in smctest.wire, follow the RFC and
share no code with the module under test.
"""
