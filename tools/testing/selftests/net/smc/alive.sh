#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests keepalive (RFC 7609 4.5.3).
# places: in_host two_host
# without-frames:
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

needs smc_run
unplugged=$programs/unplugged.py

# Drops all probes of TCP's keepalive. The connection must end with TCP's error,
# although its link works.
tcp_gives_up() {
	local server said

	"$smc_run" "$unplugged" --listen 7610 &
	server=$!
	said=$("$smc_run" "$unplugged" 127.0.0.1 7610 lo 1 2>&1)
	kill "$server"
	case $said in
	"ETIMEDOUT "[1-9]|"ETIMEDOUT "[12][0-9])
		pass "TCP's keepalive ends it by ETIMEDOUT ($said s)" ;;
	*)	fail "TCP's keepalive ends it by ETIMEDOUT" "$said" ;;
	esac
}

# R-4.5.3-07: the peer does not answer and there is no other link. TCP needs
# minutes to notice that.
link_gives_up() {
	local server said

	server=$(sh_on a "setsid $smc_run $unplugged --listen 7610 \
		> /dev/null 2>&1 & echo \$!")
	said=$(on -t 90 b "$smc_run" "$unplugged" "$a" 7610 eth0 100 2>&1)
	case $said in
	"ECONNRESET "[1-9]|"ECONNRESET "1[0-9])
		pass "TEST LINK without an answer resets the connection ($said s)" ;;
	# R-4.5.3-07
	*)	fail "TEST LINK without an answer resets the connection" "$said" ;;
	esac
	on a kill "$server"
	# Host a may still have the link group. When this connection names the
	# old group, host a learns that the group has ended (C.4). The next
	# connection creates a new group.
	run_cases "first connection after that" names
	run_cases "connection after that" --expect-mode smcr names
}

# The host also probes idle groups of other tests, and all groups share the
# counter.
begin_after reload
path_cases @alive
if between_hosts; then
	link_gives_up
else
	tcp_gives_up
fi
end
