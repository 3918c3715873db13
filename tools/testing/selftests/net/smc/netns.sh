#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests in-host connections between network namespaces. They need no RDMA
# device, only TCP between the two namespaces.
#
#   near: smcn 10.78.0.1 ---- veth ---- smcf 10.78.0.2 :far
#
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

needs smcss

end_namespaces() {
	ip netns del near 2>/dev/null
	ip netns del far 2>/dev/null
}
trap end_namespaces EXIT

end_namespaces
set -e
ip netns add near
ip netns add far
ip link add smcn netns near type veth peer name smcf netns far
ip -n near addr add 10.78.0.1/24 dev smcn
ip -n near addr add fd78::1/64 dev smcn nodad
ip -n far addr add 10.78.0.2/24 dev smcf
ip -n far addr add fd78::2/64 dev smcf nodad
for ns in near far; do
	ip -n "$ns" link set lo up
done
ip -n near link set smcn up
ip -n far link set smcf up
set +e

ktap_start
groups=$(own_counter GroupsCreated)
ip netns exec far "$peer" --server --background
relay "between namespaces" ip netns exec near "$peer" --client 10.78.0.2 \
	"${scale[@]}" --family smc --expect-mode inhost @data @close @abort @epoll
relay "between namespaces, IPv6" ip netns exec near "$peer" --client fd78::2 \
	"${scale[@]}" --family smc6 --expect-mode inhost many churn8 names

# GroupsEnded counts in the initial namespace. GroupsCreated must count there,
# too, so that their difference is the number of groups that exist.
check "groups count in the initial namespace" \
	test "$(own_counter GroupsCreated)" -gt "$groups"
for ns in near far; do
	equal "groups do not count in $ns" 0 \
		"$(own_counter GroupsCreated ip netns exec $ns)"
	check "connections count in $ns" \
		test "$(own_counter BytesSent ip netns exec $ns)" -gt 0
	check "between namespaces: $ns lists nothing in the end" \
		lists_nothing ip netns exec $ns "$smcss"
done

# The end of a namespace ends the connections of this namespace, and no others.
touch /tmp/smc_peer.hold
ip netns exec near "$peer" --client 10.78.0.2 "${scale[@]}" --family smc \
	--expect-mode inhost hold > /dev/null &
for _ in $(seq 100); do
	listed=$(ip netns exec near "$smcss" | grep -c in-host)
	[ "$listed" -lt 3 ] || break
	sleep 0.2
done
check "a namespace lists its own sockets ($listed of 3)" test "$listed" -eq 3
check "other namespaces do not list them" same "" "$("$smcss" -a | sed 1d)"
rm /tmp/smc_peer.hold
kill %1
wait
end_namespaces
relay "after the namespaces" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost sizes names
ktap_end
