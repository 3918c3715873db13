#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Simultaneous open: both ends call connect(), and neither listens. RFC 7609 has
# no roles for them, so both use TCP, and each reads the bytes of the other and
# nothing else. The delay lets the SYNs cross; the case knows it, and tries again
# if its connect() calls took longer.
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

end_namespace() {
	ip netns del crossed 2>/dev/null
}
trap end_namespace EXIT

end_namespace
set -e
ip netns add crossed
ip -n crossed link set lo up
tc -n crossed qdisc add dev lo root netem delay 100ms
set +e

# crossed NAME ARGUMENT...
crossed() {
	local name=$1
	shift
	relay "$name" ip netns exec crossed "$peer" --single "${scale[@]}" "$@" \
		crossed
}

ktap_start
crossed "both SMC" --family smc --expect-mode tcp --expect-reason 0x05010002
crossed "both SMC, IPv6" --family smc6 --expect-mode tcp
crossed "SMC and TCP" --family smc --server-family tcp --expect-mode tcp \
	--expect-reason 0x03010000
crossed "TCP and SMC" --family tcp --server-family smc
ktap_end
