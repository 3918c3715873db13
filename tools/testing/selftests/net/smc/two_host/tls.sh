#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Unmodified programs use TLS under smc_run. TLS runs over RDMA from the first
# byte of its handshake (R-5.6-01, R-B-01). The TCP connection carries only CLC
# messages, and no packet contains the plain text.
#
# deep: uml-debug 6.12 6.1
# also: uml
# timeout: 600
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

text="this text is to be seen by nobody on the way"
bytes=$((4 * 1024 * 1024 / div))

for program in openssl curl; do
	command -v $program > /dev/null || skip_all "$program is not installed"
done

# modes SMCR TCP: expected numbers of connections of b since the last reset
modes() {
	same "$1 by SMC-R, $2 by TCP" "$(on b "$smcr" stats json | python3 -c '
import json, sys
v = json.load(sys.stdin)
print(v["smc"], "by SMC-R,", v["tcp"]["client"], "by TCP")')"
}

# seen LEAST MOST FILTER: succeeds when the number of matching packets in the
# capture is in this range
seen() {
	local n
	n=$(tshark -r "$here" -Y "$3" 2> /dev/null | wc -l)
	echo "$n packets: $3"
	[ "$n" -ge "$1" ] && [ "$n" -le "$2" ]
}

ktap_start
here=$(mktemp) || exit 1
made=$(mktemp -d) || exit 1
trap 'rm -rf "$here" "$made"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
	-subj "/CN=$a" -addext "subjectAltName=IP:$a" -keyout "$made/key" \
	-out "$made/certificate" 2> "$made/said" ||
	fail "a certificate is made" "$(cat "$made/said")"
sh_on a "mkdir -p /tmp/tls && cd /tmp/tls && cat > key <<-'END'
	$(cat "$made/key")
	END
	cat > certificate <<-'END'
	$(cat "$made/certificate")
	END
	{ echo '$text'; head -c $bytes /dev/urandom; } > file"
sh_on b "mkdir -p /tmp/tls && cat > /tmp/tls/certificate <<-'END'
	$(cat "$made/certificate")
	END"
sum=$(sh_on a "sha256sum < /tmp/tls/file")

# -- openssl and curl ------------------------------------------------------

background a "sh -c 'cd /tmp/tls && exec $smc_run openssl s_server -4 -accept 8443 \
	-cert certificate -key key -WWW'"
reachable 8443
https="curl -s --cacert /tmp/tls/certificate https://$a:8443/file"
check "the capture begins" capture_begins a eth0 0 port 8443 or port 4791
on b "$smcr" stats reset
# R-1.1-09, R-5.6-01
check "curl from openssl: what arrives is right" same "$sum" \
	"$(sh_on b "$smc_run $https | sha256sum")"
# R-5.6-01
check "curl from openssl: mode" modes 1 0
capture_ends a "$here"
# R-5.6-01
check "Client Hello goes over RDMA" seen 1 100 \
	"udp.dstport == 4791 && ip.dst == $a && udp.payload contains 16:03:01"
check "TCP carries what it has to, all of it SMC's" seen 3 20 \
	"tcp.port == 8443 && tcp.len > 0 && tcp.payload[0:4] == e2:d4:c3:d9"
# R-1.1-01, R-5.6-01
check "and nothing else" seen 0 0 \
	"tcp.port == 8443 && tcp.len > 0 && !(tcp.payload[0:4] == e2:d4:c3:d9)"
# R-5.6-01
check "the text is nowhere" seen 0 0 "frame contains \"$text\""
check "nobody is trusted without a certificate" same "60" \
	"$(sh_on b "$smc_run curl -s -o /dev/null https://$a:8443/file; echo \$?")"
end_background a

# -- python ----------------------------------------------------------------

# All data comes back, although reads and writes have different sizes.
sh_on a "cat > /tmp/tls/echo.py <<-'END'
	import socket, ssl
	context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
	context.load_cert_chain('/tmp/tls/certificate', '/tmp/tls/key')
	with socket.create_server(('0.0.0.0', 8444)) as server:
	    while True:
	        try:
	            with context.wrap_socket(server.accept()[0],
	                                     server_side=True) as peer:
	                while data := peer.recv(10000):
	                    peer.sendall(data)
	                peer.unwrap()
	        except OSError:     # a connection that only checks the server
	            pass
	END"
sh_on b "cat > /tmp/tls/client.py <<-'END'
	import hashlib, os, socket, ssl, threading
	context = ssl.create_default_context(cafile='/tmp/tls/certificate')
	data = os.urandom($bytes)
	with socket.create_connection(('$a', 8444)) as sock, \\
	     context.wrap_socket(sock, server_hostname='$a') as peer:
	    def send():
	        for at in range(0, len(data), 7777):
	            peer.sendall(data[at:at + 7777])
	    sender = threading.Thread(target=send)
	    sender.start()
	    back = hashlib.sha256()
	    count = 0
	    while count < len(data):
	        piece = peer.recv(20000)
	        assert piece, f'end after {count} bytes'
	        back.update(piece)
	        count += len(piece)
	    sender.join()
	    print(peer.version()[:5], 'same' if back.digest() ==
	          hashlib.sha256(data).digest() else 'others')
	END"
background a "$smc_run python3 /tmp/tls/echo.py"
reachable 8444
on b "$smcr" stats reset
check "python, both ways at once: all bytes come back" same "TLSv1 same" \
	"$(sh_on b "$smc_run timeout 150 python3 /tmp/tls/client.py 2>&1")"
check "python: mode" modes 1 0
end_background a
ktap_end
