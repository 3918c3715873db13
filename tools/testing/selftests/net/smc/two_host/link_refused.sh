#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client refuses the offer of a link, because its device fails at that moment.
# The client has one port, so no port can tell it when to ask again. It asks soon
# by itself (R-3.5.5.1.2-01). The server alone would wait for 64 seconds.
#
# lab: --nics 2 --switch fresh
# kernels: uml-debug
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "$0")")/lib_strict.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$selftests/two_host/lib_failover.sh"

soon=30
most=6

ktap_start
build_strict
find_nics
one_subnet a 1
one_subnet b 2
forget_neighbours
pull delete b 1
strict bounce=0
set_trait b fail modify_qp
server_on_a
# The n-th change of a queue pair fails. The first few belong to the first contact,
# which then has another attempt.
for ((nth = 1; nth <= most; nth++)); do
	set_trait b fail_at $nth
	from_b "command $nth fails" --family smc names
	from_b "after command $nth" --family smc --expect-mode smcr names
	for host in a b; do
		check "command $nth, host $host: the second link comes soon" \
			until_links $host 2 $soon
	done
	end_groups b
	for host in a b; do
		check "command $nth, host $host: the group ends" groups_end $host
	done
done
check "the client's device has refused commands" \
	test "$(trait b failed)" -ge $((most - 1))
stop_server_on_a
lenient
ktap_end
