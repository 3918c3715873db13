#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests AF_SMC with IPv6 addresses, with IPv4 addresses in IPv6 form, and with
# both kinds of client at one listener. Between two hosts that have the capability
# V6, IPv6 uses version 2, and otherwise version 1 (frames.rst, F-35).
# places: in_host two_host
# deep: 6.12 6.1 uml-debug
# also: uml
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

# All cases would take too long between two hosts.
if between_hosts; then
	native=(bulk sizes many churn8 @close @abort names connect_refused
		connect_nonblocking epoll_before_connect)
	mapped=(sizes names half_close_both)
	dual=(sizes names half_close_both)
else
	native=(@data @close @abort @connect @opts @wait @api)
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

# versions HOST: prints the versions of all groups between IPv6 GIDs. A group of
# version 1 has no EID.
versions() {
	python3 -c '
import json, sys
groups = {g["id"]: g for g in json.loads(sys.argv[1])}
print(*sorted({2 if groups[k["group"]].get("eid") else 1
               for k in json.loads(sys.argv[2])
               if not k["gid"].startswith("0000:")}))' \
		"$(on "$1" "$smcr" -j linkgroup)" "$(on "$1" "$smcr" -j link)"
}

# agreed VERSION OF-A OF-B NAME: the hosts have these values of
# net.smc.extension, and use this version
agreed() {
	local host name=$4

	stop_server_on_a
	reload
	on a sysctl -q -w net.smc.extension="$2"
	on b sysctl -q -w net.smc.extension="$3"
	server_on_a
	to=$a6 run_cases "$name" --family smc6 --expect-mode smcr names
	for host in a b; do
		# F-35
		check "$name: version on host $host" same "$1" \
			"$(versions $host)"
	done
}

begin
to=$a6 run_cases "$path IPv6" --family smc6 --expect-mode "$mode" \
	"${native[@]}"
to=$a run_cases "$path mapped" --family smc6 --expect-mode "$mode" \
	"${mapped[@]}"
dual_cases "IPv4 client, IPv6 listener" --family smc --server-family smc6 \
	--expect-mode "$mode" "${dual[@]}"
if between_hosts; then
	agreed 1 7 15 "a server without V6"
	agreed 1 15 7 "a client without V6"
	agreed 1 15 0 "a client without the extension"
	agreed 2 8 15 "V6 alone"
	agreed 2 15 15 "V6"
fi
end
