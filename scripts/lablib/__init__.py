# SPDX-License-Identifier: GPL-2.0
"""The lab: two hosts with RDMA between them on one machine."""


class LabError(Exception):
    """Something the user can act on; shown as one line."""
