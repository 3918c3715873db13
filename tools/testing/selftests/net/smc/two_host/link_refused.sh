#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client refuses the offer of a link, because its device fails at that moment,
# and asks again by itself (R-3.5.5.1.2-01). The server alone would wait for 64
# seconds. First the client has one port, which fails once. Then it has several,
# and one of them fails always: the client takes another port, and it stops asking
# when no port is left.
#
# lab: --nics 3 --switch fresh
# kernels: uml-debug
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "$0")")/lib_strict.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$selftests/two_host/lib_failover.sh"

soon=30
most=6

groups_go() { # NAME
	local host
	end_groups b
	for host in a b; do
		check "$1, host $host: the group ends" groups_end $host
	done
}

# The n-th change of a queue pair fails. The first few belong to the first contact,
# which then has another attempt.
fails_once() {
	local nth host
	for ((nth = 1; nth <= most; nth++)); do
		set_trait b fail_at $nth
		from_b "command $nth fails" --family smc names
		from_b "after command $nth" --family smc --expect-mode smcr names
		for host in a b; do
			check "command $nth, host $host: the second link comes soon" \
				until_links $host 2 $soon
		done
		groups_go "command $nth"
	done
	check "the client's device has refused commands" \
		test "$(trait b failed)" -ge $((most - 1))
}

other_port() {
	local bad
	for bad in 1 2; do
		set_trait b faulty rxe$bad
		set_trait b fail_every 1
		from_b "rxe$bad fails" --family smc --expect-mode smcr names
		check "rxe$bad fails: the other port has the second link" \
			within $soon has_ends b "0 $((3 - bad))"
		set_trait b fail_every 0
		groups_go "rxe$bad fails"
	done
}

# unasked HOST: prints the number of LLC messages of the host that answer none
# shellcheck disable=SC2317 # asks_no_more calls it
unasked() {
	echo $(($(host_counter "$1" LlcSent) - $(host_counter "$1" LlcReceived)))
}

# asks_no_more HOST: it asks for nothing in 20 seconds
# shellcheck disable=SC2317 # "within" calls it
asks_no_more() {
	local before
	before=$(unasked "$1")
	sleep 20
	same "$before" "$(unasked "$1")"
}

# shellcheck disable=SC2317 # "within" calls it
has_failed() {
	[ "$(trait b failed)" -gt "$1" ]
}

# The device fails, and is gone when the client asks. The next refusal is the last,
# because there is nothing to wait for. Another request after 4, 8, 16 and 32
# seconds would show. The server offers again by itself, and is refused.
no_port_left() {
	local failed
	pull delete b 2
	pull delete a 1
	set_trait b faulty rxe1
	set_trait b fail_every 1
	failed=$(trait b failed)
	sh_on b "sysctl -q -w net.smc.smcr_testlink_time=3600"
	from_b "the only other port fails" --family smc --expect-mode smcr names
	check "the client has refused" within $soon has_failed "$failed"
	pull delete b 1
	check "a client without a port stops asking" within 40 asks_no_more b
	groups_go "no port is left"
}

ktap_start
build_strict
find_nics
one_subnet a 1
one_subnet b 2
one_subnet b 2 2
forget_neighbours
pull delete a 2
for nic in 1 2; do
	pull delete b $nic
done
strict bounce=0
set_trait b fail modify_qp
server_on_a
fails_once
for nic in 1 2; do
	restore delete b $nic
done
other_port
no_port_left
stop_server_on_a
lenient
ktap_end
