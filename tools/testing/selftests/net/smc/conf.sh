#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests /etc/smc.conf on a host: "smcr config" shows, saves and sets what the
# kernel has, all or nothing; and rules by address and port decide which sockets
# of an unmodified program use SMC.
#
# deep: uml-debug 6.12 6.1
# also: uml
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

needs smcr smc_run
tmp=$(mktemp -d) || exit 1
conf=$tmp/smc.conf
saved=$tmp/saved

# shellcheck disable=SC2317 # the trap calls it
end_conf() {
	[ ! -s "$saved" ] || "$smcr" config apply "$saved"
	rm -rf "$tmp"
}
trap end_conf EXIT

# settings: prints what the test changes
settings() {
	"$smcr" config | grep -E 'smc\.(rmem|wmem) |^ueid|^pnetid' | xargs
}

# The program prints for each port the modes of the client's socket and of the
# accepted one. The client has options, and a second descriptor in an epoll set,
# before it connects.
modes="import os, select, socket, sys
SOL_SMC, SMC_INFO, TCP_FASTOPEN = 286, 128, 23
MODES = ('none', 'TCP', 'SMC')

def mode(sock):
    return MODES[sock.getsockopt(SOL_SMC, SMC_INFO, 1)[0]]

def client(to):
    sock = socket.socket(socket.AF_INET6 if ':' in to[0] else socket.AF_INET)
    sock.setsockopt(socket.SOL_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setblocking(False)
    with select.epoll() as epoll:
        other = os.dup(sock.fileno())
        epoll.register(other, select.EPOLLOUT | select.EPOLLONESHOT)
        epoll.poll(0)
        sock.connect_ex(to)
        epoll.modify(other, select.EPOLLOUT)
        assert epoll.poll(60)
        os.close(other)
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
    assert sock.getsockopt(socket.SOL_TCP, socket.TCP_NODELAY)
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert not sock.getsockopt(socket.SOL_TCP, TCP_FASTOPEN)
    sock.setblocking(True)
    return sock

out = []
for where in sys.argv[1:]:
    address, _, port = where.rpartition(':')
    listener = socket.create_server(('::', int(port)), dualstack_ipv6=True,
                                    family=socket.AF_INET6)
    sock = client((address, int(port)))
    server, _ = listener.accept()
    sock.sendall(b'ping')
    assert server.recv(4) == b'ping'
    server.sendall(b'pong')
    assert sock.recv(4) == b'pong'
    out.append(mode(sock) + '/' + mode(server))
    for each in sock, server, listener:
        each.close()
print(*out)"

# ruled RULES ADDRESS:PORT...: runs the program under rules
ruled() {
	printf '%s\n' "$1" > "$conf"
	shift
	SMC_CONF=$conf timeout $((30 * slow)) "$smc_run" \
		python3 -c "$modes" "$@" 2>&1
}

ktap_start

# ---- smcr config ----

check "save" "$smcr" config save "$saved"
check "what it saves is what it shows" same "$("$smcr" config)" \
	"$(sed 1d "$saved")"
check "what it saves is right" "$smcr" config check "$saved"
sed 's/^#\([a-z]\)/\1/' "$tree/tools/smc_conf/smc.conf.example" > "$conf"
check "the module accepts what the example proposes" same \
	"$conf: 5 rules, 1 sysctl, 2 UEIDs, 1 PNETID" \
	"$("$smcr" config check "$conf" 2>&1)"
check "what it saves can be applied" "$smcr" config apply "$saved"
check "and changes nothing" same "$(sed 1d "$saved")" "$("$smcr" config)"
before=$(settings)

cat > "$conf" <<-END
	sysctl net.smc.rmem = 65536
	sysctl net.smc.wmem = 131072
	ueid rack-7
	ueid SMCV2-DEFAULT-UEID
	pnetid -I eth7 net7
	pnetid -I eth8 -D mlx5_7 -P 2 net8
END
after="sysctl net.smc.rmem = 65536 sysctl net.smc.wmem = 131072 ueid RACK-7 ueid SMCV2-DEFAULT-UEID pnetid -I eth7 NET7 pnetid -I eth8 NET8 pnetid -D mlx5_7 -P 2 NET8"
check "apply" silent "$smcr" config apply "$conf"
check "all is set" same "$after" "$(settings)"
check "the sysctls are those of the kernel" same "65536 131072" \
	"$(cat /proc/sys/net/smc/rmem /proc/sys/net/smc/wmem | xargs)"
check "apply again" silent "$smcr" config apply "$conf"
check "the same is set" same "$after" "$(settings)"

cat > "$conf" <<-END
	sysctl net.smc.wmem = 262144
	ueid other
	pnetid -
	sysctl net.smc.rmem = 1
END
check "a value out of bounds: the line, and its cause" same \
	"1 smcr: $conf:4: net.smc.rmem = 1: Invalid argument; nothing is changed" \
	"$("$smcr" config apply "$conf" > "$tmp/out" 2>&1; echo "$? $(cat "$tmp/out")")"
check "check finds it, too" same \
	"1 smcr: $conf:4: net.smc.rmem = 1: Invalid argument" \
	"$("$smcr" config check "$conf" > "$tmp/out" 2>&1; echo "$? $(cat "$tmp/out")")"
chmod 755 "$tmp"
chmod 644 "$conf"
setpriv --reuid 65534 --regid 65534 --clear-groups "$smcr" config check "$conf" \
	> "$tmp/out" 2>&1
check "without privilege it does so, or says why not" grep -E \
	"net.smc.rmem = 1: Invalid argument|may not create a network namespace" \
	"$tmp/out"
check "nothing is changed" same "$after" "$(settings)"
cat > "$conf" <<-END
	sysctl net.smc.wmem = 262144
	pnetid -D mlx5_7 -P 2 net9
	ueid -
	bogus
END
check "a broken file: the line, and its cause" same \
	"1 smcr: $conf:4: 'bogus' is none of use, ueid, pnetid and sysctl" \
	"$("$smcr" config apply "$conf" > "$tmp/out" 2>&1; echo "$? $(cat "$tmp/out")")"
check "nothing is changed by it" same "$after" "$(settings)"
sed -i '/bogus/d' "$conf"
check "a device moves to another network" silent "$smcr" config apply "$conf"
check "the table of UEIDs is empty, that of PNETIDs has the device" same \
	"sysctl net.smc.rmem = 65536 sysctl net.smc.wmem = 262144 ueid - pnetid -D mlx5_7 -P 2 NET9" \
	"$(settings)"
printf 'use tcp both sshd *:22\n' | cat - "$conf" > "$tmp/rules"
check "save keeps a rule" "$smcr" config save "$tmp/rules"
check "the rule is first" same "use tcp both sshd *:22" \
	"$(head -1 "$tmp/rules")"
printf 'sysctl net.smc.rmem = 131072\n' > "$conf"
check "without privilege" same \
	"1 smcr: $conf:1: net.smc.rmem = 131072: Permission denied; nothing is changed" \
	"$(setpriv --reuid 65534 --regid 65534 --clear-groups "$smcr" \
		config apply "$conf" > "$tmp/out" 2>&1; echo "$? $(cat "$tmp/out")")"
check "back" silent "$smcr" config apply "$saved"
check "all is as before" same "$before" "$(settings)"

# ---- rules ----

check "without rules: SMC" same "SMC/SMC SMC/SMC" \
	"$(ruled "" 127.0.0.1:7701 ::1:7702)"
check "by port of the listener: one port SMC, one TCP" same \
	"SMC/SMC TCP/TCP SMC/SMC" \
	"$(ruled "use tcp listen * *:7702" 127.0.0.1:7701 127.0.0.1:7702 \
		127.0.0.1:7703)"
check "by port of the peer: one port SMC, one TCP" same \
	"SMC/SMC TCP/TCP SMC/SMC" \
	"$(ruled "use tcp connect * *:7702" 127.0.0.1:7701 127.0.0.1:7702 \
		127.0.0.1:7703)"
check "by address of the peer" same "TCP/TCP SMC/SMC TCP/TCP SMC/SMC" \
	"$(ruled "use smc connect * 127.0.0.9:*
		use tcp connect * 127.0.0.8/29:*
		use tcp connect * [::1]:7704" 127.0.0.8:7701 127.0.0.9:7702 \
		::1:7704 ::1:7705)"
check "SMC on one port only" same "TCP/TCP SMC/SMC" \
	"$(ruled "use smc both * *:7702
		use tcp both * *:*" 127.0.0.1:7701 127.0.0.1:7702)"
check "another program" same "SMC/SMC" \
	"$(ruled "use tcp both nginx *:*" 127.0.0.1:7701)"
check "a broken file: one line, and SMC" same \
	"smc_run: $conf:1: 'bogus' is none of use, ueid, pnetid and sysctl; the file is ignored SMC/SMC" \
	"$(ruled "bogus" 127.0.0.1:7701 | paste -s -d ' ')"
ktap_end
