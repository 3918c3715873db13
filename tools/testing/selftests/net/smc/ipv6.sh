#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests AF_SMC with IPv6 addresses, with IPv4 addresses in IPv6 form, and with
# both kinds of client at one listener.
# places: in_host two_host
# deep: 6.12 6.1 uml-debug
# also: uml
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

# All cases would take too long between two hosts.
if between_hosts; then
	native=(bulk sizes many churn8 @close @abort names connect_refused
		connect_nonblocking epoll_before_connect)
	mapped=(sizes names half_close_both)
	dual=(sizes names half_close_both)
else
	native=(@data @close @abort @connect @opts @api)
	mapped=(@data @connect names)
	dual=(@data names)
fi

# The listener takes any address, but --single does not allow that.
dual_cases() {
	local name=$1
	shift
	if between_hosts; then
		run_cases "$name" "$@"
		return
	fi
	"$peer" --server --background
	relay "$name" "$peer" --client "$a" "${scale[@]}" "$@"
	"$peer" --stop "$a"
}

begin
to=$a6 run_cases "$path IPv6" --family smc6 --expect-mode "$mode" \
	"${native[@]}"
to=$a run_cases "$path mapped" --family smc6 --expect-mode "$mode" \
	"${mapped[@]}"
dual_cases "IPv4 client, IPv6 listener" --family smc --server-family smc6 \
	--expect-mode "$mode" "${dual[@]}"
end
