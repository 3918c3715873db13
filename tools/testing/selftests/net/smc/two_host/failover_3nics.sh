#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# As failover.sh with a third adapter, whose link is there before the one that
# was taken away comes back (R-C.8-03), and then there are not three
# (R-2.2.2-10, R-3.5.5.1.1-04).
#
# lab: --nics 3
# kernels: uml uml-debug 6.12
# timeout: 900
export FAILOVER_ROUNDS=${FAILOVER_ROUNDS:-1}
exec "$(dirname "$(readlink -f "$0")")/failover.sh"
