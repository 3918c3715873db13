# SPDX-License-Identifier: GPL-2.0
"""Two hosts with RDMA between them on one machine; see lab --help."""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from lablib import cli  # pylint: disable=wrong-import-position

sys.exit(cli.main())
