#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests every way in which a connection ends, with stock SMC on either side;
# stock SMC aborts by a CDC message alone (R-L-19).
# timeout: 600
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
server_on "$OURS"
# R-L-19
from_stock "end" --expect-mode smcr "${stock_is_client[@]}" @close @abort
stop_server_on "$OURS"
server_on "$STOCK"
# R-L-19
to_stock "end" --expect-mode smcr "${stock_is_server[@]}" @close @abort
stop_server_on "$STOCK"
ktap_end
