#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# As failover.sh with a third adapter, whose link is there before the one that
# was taken away comes back (R-2.2.4-02, R-C.8-03).
#
# lab: --nics 3
# timeout: 290
export FAILOVER_ROUNDS=${FAILOVER_ROUNDS:-1}
exec "$(dirname "$(readlink -f "$0")")/failover.sh"
