#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests that a socket that fell back behaves like a TCP socket in every respect.
# All cases run twice: first only the client has an SMC socket, then only the
# server. More cases check which calls of a program cause a fallback.
# deep: uml-debug 6.12 6.1
# also: uml
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
# Fast open needs the server's consent.
echo 3 > /proc/sys/net/ipv4/tcp_fastopen
relay "causes" "$peer" --single "${scale[@]}" --family smc @fallback
relay "causes, IPv6" "$peer" --single "${scale[@]}" --family smc6 @fallback
relay "client on TCP" "$peer" --single "${scale[@]}" --family smc \
	--server-family tcp --expect-mode tcp --expect-reason 0x03010000 all
relay "server on TCP" "$peer" --single "${scale[@]}" --family tcp \
	--server-family smc --expect-server-mode tcp \
	--expect-server-reason 0x03010000 all
ktap_end
