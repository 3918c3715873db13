#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that the policies of the host apply to SMC sockets as to TCP sockets.
# Packet filters match the owner of a socket, also before accept(). The programs
# of a cgroup run when a socket is created, and can bind it to a VRF. Marks that
# a packet filter sets on a TCP connection stay. Connections that use TCP
# signatures stay on TCP, and so do connections that TCP opens by a SYN cookie.
#
# deep: 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

user=65534

end_policies() {
	nft delete table inet smcp 2>/dev/null
	ip link del smcvrf 2>/dev/null
	echo 0 > /proc/sys/net/ipv4/tcp_fwmark_accept
	echo 1 > /proc/sys/net/ipv4/tcp_syncookies
}
trap end_policies EXIT

# packets WORD: prints the number of packets that the rule with this word has
# counted
packets() {
	nft list table inet smcp |
		sed -n "s/.*counter packets \([0-9]*\) .*\"$1\".*/\1/p"
}

# shellcheck disable=SC2317 # "relay" calls it
as_user() {
	setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
}

# The packet goes to the first rule in the chain that matches it.
count_owners() {
	nft -f - <<-END
	table inet smcp {
		chain out {
			type filter hook output priority 0;
			tcp flags & (syn | psh) == 0x0 accept
			meta skuid $user counter accept comment "his"
			meta l4proto tcp counter comment "strange"
		}
	}
	END
}

# A mark on a SYN also marks the connection that the SYN opens.
count_marks() {
	nft -f - <<-END
	table inet smcp {
		chain out {
			type filter hook output priority 0;
			tcp flags & (syn | ack) == syn meta mark set 7
			tcp flags & (psh | syn) == 0x0 accept
			meta mark 7 counter accept comment "marked"
			tcp sport 20000 counter comment "unmarked"
		}
	}
	END
}

# bound_to: prints the device to which a new socket is bound
bound_to="import socket
from smctest import sockets
sock = sockets.smc_socket('127.0.0.1')
name = sock.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)
print(name.rstrip(b'\\0').decode())"

# A TCP client connects to an SMC listener. Client and server send a byte; the
# server sends its byte after the application has set an option.
exchange="import socket
from smctest import sockets
listener = sockets.smc_listen('127.0.0.1', 20000, 1)
client = socket.create_connection(('127.0.0.1', 20000))
server = sockets.smc_accept(listener)
server.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
client.send(b'x')
server.send(server.recv(1))
print(client.recv(1).decode())"

# ss -K ends the TCP socket of a listener: prints the error of an accept() that
# waits, and whether poll() shows EPOLLHUP
killed="import select, subprocess, threading
from smctest import sockets
listener = sockets.smc_listen('127.0.0.1', 20001, 1)
failed = []
def accept():
    try:
        sockets.smc_accept(listener)
    except OSError as err:
        failed.append(err.strerror)
thread = threading.Thread(target=accept, daemon=True)
thread.start()
subprocess.run(['ss', '-K', '-tl', 'sport', '=', '20001'], check=True,
               stdout=subprocess.DEVNULL)
thread.join(60)
poll = select.poll()
poll.register(listener)
print(*failed, bool(dict(poll.poll(0)).get(listener.fileno(), 0) &
                    select.POLLHUP))"

# python PROGRAM [COMMAND]...: runs the program so that it can import smctest;
# with COMMAND, the command runs it
python() {
	local program=$1
	shift
	(cd "$selftests" && exec "$@" python3 -B -c "$program")
}

ktap_start
count_owners
relay "in-host" as_user "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost names
check "SYN and CLC messages have the user as their owner" \
	test "$(packets his)" -ge 4
check "none has a stranger" same 0 "$(packets strange)"
nft delete table inet smcp

count_marks
echo 1 > /proc/sys/net/ipv4/tcp_fwmark_accept
check "a connection that was marked" same x "$(python "$exchange")"
check "its packets have the mark" test "$(packets marked)" -ge 2
check "after fallback, too" same 0 "$(packets unmarked)"
end_policies

echo 2 > /proc/sys/net/ipv4/tcp_syncookies
relay "SYN cookies" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode tcp --expect-reason 0x03010000 \
	--expect-server-reason 0x05010001 connect_nonblocking
relay "SYN cookies, IPv6" "$peer" --single "${scale[@]}" --family smc6 \
	--expect-mode tcp --expect-reason 0x03010000 \
	--expect-server-reason 0x05010001 connect_nonblocking
relay "SYN cookies, client without SMC" "$peer" --single "${scale[@]}" \
	--family tcp --server-family smc --expect-server-mode tcp \
	--expect-server-reason 0x05010001 connect_nonblocking
echo 1 > /proc/sys/net/ipv4/tcp_syncookies

relay "keys" "$peer" --single "${scale[@]}" --family smc @keys
relay "keys, IPv6" "$peer" --single "${scale[@]}" --family smc6 @keys

# User Mode Linux has neither cgroups nor VRFs, and ss cannot end a socket.
case $LAB_KERNEL in
6.*)
	check "ss -K ends a listener" same "Invalid argument True" \
		"$(python "$killed")"
	mountpoint -q /sys/fs/cgroup ||
		mount -t cgroup2 cgroup2 /sys/fs/cgroup
	ip link add smcvrf type vrf table 77
	check "a socket that is made in a VRF is bound to it" \
		same smcvrf "$(python "$bound_to" ip vrf exec smcvrf)"
	ip link del smcvrf
	;;
esac
ktap_end
