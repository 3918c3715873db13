#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# SMC-R over IPv6, and IPv4 clients of an IPv6 listener.
# deep: 6.12 6.1
# timeout: 300
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
server_on_a
to=$a6 from_b "IPv6" --family smc6 --expect-mode smcr \
	bulk sizes many churn8 @close @abort names connect_refused \
	connect_nonblocking epoll_before_connect
from_b "mapped" --family smc6 --expect-mode smcr sizes names half_close_both
from_b "IPv4 client, IPv6 listener" --family smc --server-family smc6 \
	--expect-mode smcr sizes names half_close_both
stop_server_on_a
ktap_end
