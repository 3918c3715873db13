#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests a peer that speaks SMC, but that RDMA does not reach: one connection waits
# for its link, and later ones use TCP at once. After some time one connection
# tries again. When RDMA works, all use it.
#
# deep: 6.12 6.1
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# longer than the cases of from_b take
memory=$((5 * slow))
peer_has_none=0x03010000
dead=0x05010004
# the client or the server notices first that no link comes up
no_link=0x09990002
no_confirm=0x02010000

# counts: prints how often b has found the path dead, and avoided it
counts() {
	echo "$(host_counter b DeadPaths) $(host_counter b DeadPathsAvoided)"
}

# since: prints the same since the last call of mark
since() {
	local now_dead now_avoided
	read -r now_dead now_avoided <<< "$(counts)"
	echo "$((now_dead - dead_before)) $((now_avoided - avoided_before))"
}

mark() {
	read -r dead_before avoided_before <<< "$(counts)"
}

# connects HOW: opens a connection from b to the port, and prints the client's
# mode, reason, the peer's reason, and whether it took seconds. HOW is "one", or
# "two": while the first one runs and has its entry, another one begins, whose
# line comes first.
connects() {
	# shellcheck disable=SC2016
	on b python3 -c '
import ctypes, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
to = struct.pack("=H", socket.AF_INET) + struct.pack("!H", int(sys.argv[2])) + \
    socket.inet_aton(sys.argv[1]) + bytes(8)

def one():
    begun = time.monotonic()
    sock = socket.socket(43, socket.SOCK_STREAM, 0)
    if libc.connect(sock.fileno(), to, len(to)):
        print("connect: errno %d" % ctypes.get_errno())
        return
    took = time.monotonic() - begun
    info = sock.getsockopt(286, 128, 16)
    print(("none", "TCP", "SMC")[info[0]],
          "0x%08x" % struct.unpack_from("=I", info, 8),
          "0x%08x" % struct.unpack_from("=I", info, 12),
          "slow" if took > 3 else "quick", flush=True)

def has_entry():
    with open("/proc/net/smc_dead_paths") as file:
        return file.read()

first = threading.Thread(target=one)
first.start()
if sys.argv[3] == "two":
    while not has_entry() and first.is_alive():
        time.sleep(0.01)
    one()
first.join()' "$a" 8089 "$1"
}

one() {
	connects one
}

# lists: prints the addresses that b remembers
lists() {
	sh_on b "cut -d' ' -f1 /proc/net/smc_dead_paths" | xargs
}

lists_none() {
	lists
	[ -z "$(lists)" ]
}

# waited_in_vain RESULT: was it a connection that waited for a link?
waited_in_vain() {
	echo "$1"
	[[ $1 = "TCP "*"$no_link"*" slow" || $1 = "TCP "*"$no_confirm"*" slow" ]]
}

rdma_stops() {
	sh_on a "nft add table inet dead &&
		nft add chain inet dead in '{ type filter hook input priority 0; }' &&
		nft add rule inet dead in udp dport 4791 drop"
}

rdma_works() {
	on a nft delete table inet dead
}

ktap_start
background a "$smc_run python3 -c '
import socket
s = socket.create_server((\"\", 8089))
kept = []
while True:
    kept.append(s.accept()[0])'"
check "the server listens" within "$patience" \
	sh_on a "ss -Htln 'sport = 8089' | grep -q ."
on b sysctl -qw net.smc.dead_path_memory=$memory
for host in a b; do
	end_groups $host
	check "host $host: no group is left" within "$patience" no_group_on $host
done
check "RDMA does not arrive" rdma_stops

mark
check "the first connection waits, and uses TCP" waited_in_vain "$(one)"
check "the address is remembered" same "$a 1 0" "$(lists) $(since)"
check "the next one uses TCP at once" same "TCP $dead 0x00000000 quick" "$(one)"
check "it is counted" same "1 1" "$(since)"
check "the server saw no option" same "$peer_has_none" \
	"$(sh_on a "$smcss --json" | python3 -c '
import json, sys
print(json.load(sys.stdin)[-1]["reason"]["code"])')"
check "the other direction is another matter" same "" \
	"$(sh_on a "cat /proc/net/smc_dead_paths")"

check "the entry expires" within $((memory + patience)) lists_none
mark
check "one connection tries again" waited_in_vain "$(one)"
check "the failure is remembered again" same "$a 1 0" "$(lists) $(since)"
sh_on b "echo > /proc/net/smc_dead_paths"
check "a write forgets it" same "" "$(lists)"

on b sysctl -qw net.smc.dead_path_memory=0
mark
check "without memory each connection waits: 1" waited_in_vain "$(one)"
check "without memory each connection waits: 2" waited_in_vain "$(one)"
check "it is counted, but not remembered" same "2 0 " "$(since) $(lists)"

# Of the connections that begin while one tries, all use TCP.
on b sysctl -qw net.smc.dead_path_memory=1
check "one more waits" waited_in_vain "$(one)"
check "the entry expires" within "$patience" lists_none
mark
two=$(connects two)
# The entry of a connection that tries is valid until it has ended.
check "a connection beside it uses TCP at once" same \
	"TCP $dead 0x00000000 quick" "${two%%$'\n'*}"
check "the trial waits in vain" waited_in_vain "${two#*$'\n'}"
check "only one has tried" same "1 1" "$(since)"

check "RDMA works again" rdma_works
check "the entry expires" within "$patience" lists_none
check "the connection that tries uses it" same "SMC 0x00000000 0x00000000" \
	"$(one | cut -d' ' -f1-3)"
check "nothing is remembered" same "" "$(lists)"
check "so does the next one" same "SMC 0x00000000 0x00000000" \
	"$(one | cut -d' ' -f1-3)"
on b sysctl -qw net.smc.dead_path_memory=0
end_background a
ktap_end
