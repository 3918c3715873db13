# SPDX-License-Identifier: GPL-2.0
"""The lab: two hosts with RDMA between them on one machine."""


class LabError(Exception):
    """An error that the user can act on. The program shows the error as one
    line."""
