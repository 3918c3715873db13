#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A host loses its RDMA device, idle or under load. Both ends learn of the loss
# soon, because the host tells the peer while the device still works
# (R-3.5.4-05, -07). Nothing hangs. When the device comes back, the next
# connection uses SMC-R again (R-4.8.3-03).
#
# deep: 6.12 6.1
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# counts_more HOST NAME THAN: succeeds when the counter is larger than THAN
# shellcheck disable=SC2317 # "within" calls it
counts_more() {
	echo "host $1: $2 is $(host_counter "$1" "$2"), more than $3 is wanted"
	[ "$(host_counter "$1" "$2")" -gt "$3" ]
}

# removed HOST: removes the device while a stream flows both ways
removed() {
	local host=$1 sent
	sent=$(host_counter "$host" BytesSent)
	(
		within "$patience" counts_more "$host" BytesSent \
			$((sent + 1000000))
		on "$host" rdma link delete rxe0
	) &
	from_b "device of host $host removed" --family smc --expect-mode smcr \
		until_broken
	wait
	# R-4.8.3-03
	check "host $host has no link group left on it" sh_on "$host" \
		"! rdma resource show qp 2>/dev/null | grep 'link rxe0/1' | grep -v 'type GSI'"
	device_comes "$host"
	from_b "device of host $host back" --family smc --expect-mode smcr \
		sizes names many
}

# lingering HOST: removes the device while close() waits for a peer that does
# not read
lingering() {
	local host=$1 full=/tmp/smc_peer.full
	on b rm -f "$full"
	(
		within "$patience" on b test -e "$full"
		sleep 1
		on "$host" rdma link delete rxe0
	) &
	from_b "device of host $host removed, close() lingers" --family smc \
		--expect-mode smcr linger_until_broken
	wait
	device_comes "$host"
	from_b "device of host $host is there again" --family smc \
		--expect-mode smcr names
}

# ended_after HOST COUNT: succeeds when more than COUNT groups of this host have
# ended
# shellcheck disable=SC2317 # "check" calls it
ended_after() {
	within "$patience" counts_more "$1" GroupsEnded "$2"
}

# idle HOST: removes the device while the link group is idle. The other host's
# group ends because this host sends it a message. Neither host sends probes or
# data.
idle() {
	local host=$1 other ended
	other=$(tr ab ba <<< "$host")
	from_b "before host $host has no device" --family smc \
		--expect-mode smcr names
	ended=$(host_counter "$other" GroupsEnded)
	on "$host" rdma link delete rxe0
	# R-3.5.4-05, -07
	check "host $other was told of it" ended_after "$other" "$ended"
	device_comes "$host"
	from_b "idle device of host $host back" --family smc \
		--expect-mode smcr names
}

out_of_step=0x04000000
declined=0x05000000

# cut HOST ADDRESS: the link loses its address, so the host cannot send a
# message. A client that has lost the group tells the server in its next
# handshake, whose connection stays on TCP. The server then ends its own group
# (R-C.4-01, -02, -03).
cut() {
	local host=$1 each
	# In another case, the last message of a closed connection is lost.
	for each in a b; do
		check "before host $host loses its address: host $each lists nothing" \
			lists_nothing on $each "$smcss"
	done
	on "$host" ip addr del "$2/24" dev eth0
	check "without its address host $host has no link" within "$patience" \
		sh_on "$host" "! rdma resource show qp | grep 'state RTS.*comm .smc'"
	on "$host" ip addr add "$2/24" dev eth0
	if [ "$host" = b ]; then
		# R-C.4-01, -02
		from_b "address of host b back, first connection" \
			--family smc --expect-mode tcp \
			--expect-reason $out_of_step \
			--expect-server-reason $declined/$out_of_step names
	fi
	# R-C.4-03
	from_b "address of host $host back" --family smc --expect-mode smcr \
		sizes names many
}

ktap_start
reload
for host in a b; do
	sh_on $host "echo 0 > /proc/sys/net/smc/smcr_testlink_time"
done
server_on_a
rounds=1
[ "${SMC_TEST_DEPTH:-}" != deep ] || rounds=2
for ((round = 1; round <= rounds; round++)); do
	echo "# round $round"
	removed b
	removed a
done
lingering b
lingering a
idle b
idle a
cut b "$b"
cut a "$a"
stop_server_on_a
# A group without probes stays for ten minutes after its peer has lost the link.
# The tests that follow on these hosts must not find such a group.
reload
ktap_end
