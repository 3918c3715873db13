#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data arrive complete with stock SMC on either side; more connections than its
# groups hold, and short ones.
# timeout: 400
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

cases=(sizes many mixed_lengths odd_through_small_buffers churn1 churn8
       slow_reader full_window stop_and_go)

ktap_start
server_on "$OURS"
from_stock "data" --expect-mode smcr "${cases[@]}"
from_stock "bulk" --expect-mode smcr --bytes 33554432 bulk
stop_server_on "$OURS"
server_on "$STOCK"
to_stock "data" --expect-mode smcr "${cases[@]}"
to_stock "bulk" --expect-mode smcr --bytes 33554432 bulk
stop_server_on "$STOCK"
ktap_end
