#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Two hosts with RDMA between them on one machine; see lab --help. The script
"lab" starts this program, except for "lab exec"."""

import sys

from lablib import cli

if __name__ == "__main__":
    sys.exit(cli.main())
