#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs failover.sh with a third adapter. If the limit allows three links, the
# adapter makes a third link. If not, it replaces an adapter that the test takes
# away (R-2.2-04, R-2.3-01, R-C.8-03).
#
# lab: --nics 3
# kernels: uml uml-debug 6.12
# deep: uml-debug 6.12 6.1
# also: uml
# timeout: 900
[ "${SMC_TEST_DEPTH:-}" = deep ] || export FAILOVER_ROUNDS=${FAILOVER_ROUNDS:-1}
exec "$(dirname "$(readlink -f "$0")")/failover.sh"
