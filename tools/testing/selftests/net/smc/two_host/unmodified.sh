#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests unmodified programs under smc_run (R-B-01): their data must move by
# SMC-R, and the programs must behave as over TCP.
#
# deep: uml-debug 6.12 6.1
# also: uml
# timeout: 600
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

have() {
	command -v "$1" > /dev/null || { skip "$2" "$1 is not installed"; false; }
}

ktap_start
megabytes=$((64 / div + 2))
sh_on a "mkdir -p /tmp/www; dd if=/dev/urandom of=/tmp/www/file bs=1M count=$megabytes 2> /dev/null"
sum=$(sh_on a "sha256sum < /tmp/www/file")

background a "$smc_run python3 -m http.server --directory /tmp/www 8080"
reachable 8080
if have curl "curl and a web server"; then
	# R-B-01
	check "curl and a web server: what arrives is right" same "$sum" \
		"$(sh_on b "$smc_run curl -s http://$a:8080/file | sha256sum")"
	sh_on b "echo $a server.lab.test >> /etc/hosts"
	# R-B-04
	check "curl and a web server: by name" same "$sum" \
		"$(sh_on b "$smc_run curl -s http://server.lab.test:8080/file |
			sha256sum")"
	check "curl without smc_run: the same" same "$sum" \
		"$(sh_on b "curl -s http://$a:8080/file | sha256sum")"
	check "the server listens with SMC" same 1 \
		"$(sh_on a "$smcss -l" | grep -c ':8080 ')"
	# curl waits until its output is read, after the connection is listed.
	listed=$(sh_on b "$smc_run curl -s http://$a:8080/file | {
			for _ in \$(seq 100); do
				$smcss | grep '$a:8080 .*SMCR' && break
				sleep 0.1
			done
			cat > /dev/null
		}")
	# R-B-01
	check "curl: mode" test -n "$listed"
fi
end_background a

# Before 6.7 the core allows SO_REUSEPORT only for a fixed list of address
# families, without AF_SMC.
reuseport=$(sh_on a "python3 -c 'import socket
s = socket.socket(43, socket.SOCK_STREAM, 0)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
print(\"reuseport\")' 2> /dev/null") || :
if have nginx "nginx, many clients"; then
	sh_on a "cat > /tmp/nginx.conf <<-END
		daemon off;
		worker_processes 2;
		error_log /tmp/nginx.log;
		pid /tmp/nginx.pid;
		events { worker_connections 256; }
		http {
			access_log off;
			sendfile on;
			server { listen 8081 $reuseport; root /tmp/www; }
		}
	END"
	background a "$smc_run nginx -c /tmp/nginx.conf -e /tmp/nginx.log"
	reachable 8081
	count_connections
	lent=$(host_counter a BytesSentLent)
	# R-B-01, -05
	check "nginx with sendfile, eight downloads at once" same "8 $sum" \
		"$(sh_on b "for i in 1 2 3 4 5 6 7 8; do
			$smc_run curl -s http://$a:8081/file | sha256sum & done; wait" |
			uniq -c | sed 's/^ *//')"
	lent=$(($(host_counter a BytesSentLent) - lent))
	check "nginx with sendfile: the bytes of the files were not copied" \
		test "$lent" -ge $((8 * megabytes << 20))
	check "nginx, keep-alive: requests one after the other" same "404 20" \
		"$(sh_on b "$smc_run curl -s -o /dev/null -w '%{http_code}\n' http://$a:8081/no[1-20]" |
			uniq -c | awk '{ print $2, $1 }')"
	# R-B-01
	check "nginx: mode" only_smcr 9
	end_background a
fi

if have iperf3 "iperf3"; then
	background a "$smc_run iperf3 -s"
	# iperf3 would treat a probe of the port as a test
	within "$patience" sh_on a "ss -Htln 'sport = 5201' | grep -q ." ||
		fail "iperf3 listens" "$(on a cat /tmp/background.log)"
	# Prints the list as soon as it has all three connections. If the
	# programs end earlier, prints the connections that the list had until
	# then.
	out=$(sh_on b "$smc_run iperf3 -c $a -t 5 -P 2 > /tmp/iperf.log 2>&1 &
		while kill -0 \$!; do
			$smcss --json > /tmp/iperf.modes
			[ \$(grep -c '\"SMCR\"' /tmp/iperf.modes) -lt 3 ] || break
			sleep 0.1
		done 2> /dev/null
		cat /tmp/iperf.modes; wait; tail -3 /tmp/iperf.log")
	# R-B-01
	check "iperf3: all its connections are SMC-R" same "0 3" \
		"$(echo "$out" | grep -c '"TCP"') $(echo "$out" | grep -c '"SMCR"')"
	check "iperf3: comes to its end" grep -q "iperf Done" <<< "$out"
	end_background a
fi

# Without the module, a program uses TCP.
lists_nothing on b "$smcss"
take_module b
out=$(sh_on b "echo /bin/false > /proc/sys/kernel/modprobe && $smc_run python3 -c '
import socket
s = socket.create_server((\"127.0.0.1\", 0))
c = socket.create_connection(s.getsockname())
c.sendall(b\"x\")
print(s.accept()[0].recv(1), c.getsockopt(socket.SOL_SOCKET, socket.SO_DOMAIN))'" 2>&1)
check "without the module: TCP" same "b'x' 2" "$out"
for module in smc smc_diag; do
	on b insmod "$tree/build/$LAB_KERNEL/net/smc/$module.ko"
done
ktap_end
