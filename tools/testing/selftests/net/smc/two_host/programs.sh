#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests programs that administrators run, in the ways they run them: each comes
# to its end with the right data, and all its TCP connections have become SMC-R
# (R-B-01). unmodified.sh and databases.sh test a few more with each change.
#
# kernels: uml 6.12
# deep: uml 6.12
# timeout: 900
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

megabytes=$((64 / div))
sshd="/usr/sbin/sshd -D -e -f /tmp/sshd_config"
ssh_options="-q -i /tmp/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

# have PROGRAM...: the host has the programs
have() {
	local one

	for one; do
		[ -x "$(PATH=$PATH:/usr/sbin command -v "$one")" ] ||
			{ fail "$one is installed"; return 1; }
	done
}

# served PORT COMMAND: host a runs the server, which takes connections at the port
served() {
	background a "$smc_run $2"
	within "$patience" sh_on a "ss -Htln 'sport = $1' | grep -q ." ||
		fail "port $1 is open on host a" "$(on a cat /tmp/background.log)"
	count_connections
}

# arrived NAME COMMAND: what the command on b prints is the file
arrived() {
	check "$1" same "$sum" "$(sh_on b "($2) 2> /tmp/said | sha256sum; cat /tmp/said")"
}

# ends NAME COMMAND...: the command on b succeeds
ends() {
	local what=$1

	shift
	check "$what" on -t 300 b sh -c "$* < /dev/null > /tmp/said 2>&1 ||
		{ status=\$?; tail -n 20 /tmp/said; exit \$status; }"
}

# smcr_only NAME LEAST: at least so many connections of b since the server began,
# and none by TCP
smcr_only() {
	check "$1: mode" only_smcr "$2"
}

web_server() {
	sh_on a "cat > /tmp/nginx.conf <<-END
		daemon off;
		user root;
		worker_processes 2;
		error_log /tmp/nginx.log;
		pid /tmp/nginx.pid;
		events { worker_connections 256; multi_accept on; }
		http {
			access_log off;
			sendfile on;
			tcp_nopush on;
			keepalive_requests 100000;
			server { listen 8081 deferred; root /tmp/www; }
		}
	END"
	served 8081 "nginx -c /tmp/nginx.conf -e /tmp/nginx.log"
}

# wrk_is_content COMMAND...: no request of this wrk failed
wrk_is_content() {
	sh_on b "$*" > "$scratch" 2>&1 && ! grep 'Socket errors\|Non-2xx' "$scratch" &&
		grep '[1-9][0-9]* requests in' "$scratch" && return
	cat "$scratch"
	return 1
}

try_wrk() {
	have wrk nginx || return
	web_server
	# R-B-01
	check "wrk: 16 connections, all requests succeed" \
		wrk_is_content "$smc_run wrk -t 2 -c 16 -d 3s http://$a:8081/small"
	check "wrk: a connection for each request" \
		wrk_is_content "$smc_run wrk -t 2 -c 8 -d 3s -H 'Connection: close' \
			http://$a:8081/small"
	smcr_only wrk 24
	end_background a
}

# haproxy runs on the clients' host: curl and haproxy talk within the host.
try_haproxy() {
	local how

	have haproxy curl nginx || return
	if ! on b haproxy -v > /dev/null 2>&1; then
		skip haproxy "this host's processor has no cmpxchg16b"
		return
	fi
	web_server
	sh_on b "cat > /tmp/haproxy.cfg <<-END
		global
			nbthread 2
		defaults
			timeout connect 20s
			timeout client 60s
			timeout server 60s
			option splice-auto
		listen http
			mode http
			bind 0.0.0.0:8082
			server one $a:8081 check inter 2s
		listen tcp
			mode tcp
			bind 0.0.0.0:8083
			server one $a:8081
	END"
	background b "$smc_run haproxy -f /tmp/haproxy.cfg"
	check "haproxy takes connections" within "$patience" \
		sh_on b "ss -Htln 'sport = 8083' | grep -q ."
	for how in 8082 8083; do
		arrived "haproxy: a file through port $how" \
			"$smc_run curl -s http://127.0.0.1:$how/file"
		check "haproxy: wrk through port $how" wrk_is_content \
			"$smc_run wrk -t 1 -c 8 -d 2s http://127.0.0.1:$how/small"
	done
	smcr_only haproxy 4
	end_background b
	end_background a
}

try_memcached() {
	have memcached memccapable memcslap memccp memccat || return
	served 11211 "memcached -u root -l 0.0.0.0 -p 11211 -I 8m -m 128 -t 2"
	ends "memcached: its protocols, as memccapable knows them" \
		"$smc_run memccapable -h $a -p 11211 -t 30"
	ends "memcached: memcslap, 8 threads" \
		"$smc_run memcslap --servers=$a:11211 --concurrency=8 \
			--execute-number=$((4000 / div)) --test=set"
	sh_on b "head -c 3000000 /dev/urandom > /tmp/value"
	ends "memcached: a value of 3 MB is stored" \
		"$smc_run memccp --servers=$a:11211 /tmp/value"
	# R-B-01
	check "memcached: a value of 3 MB comes back" \
		same "$(sh_on b "sha256sum < /tmp/value")" "$(sh_on b \
			"$smc_run memccat --servers=$a:11211 value |
				head -c 3000000 | sha256sum")"
	smcr_only memcached 10
	end_background a
}

try_ssh() {
	local ssh

	have sshd ssh scp sftp ssh-keygen || return
	ssh="$smc_run ssh $ssh_options -p 2222 root@$a"
	sh_on b "rm -f /tmp/key*; ssh-keygen -q -t ed25519 -N '' -f /tmp/key"
	on b cat /tmp/key.pub > "$scratch"
	sh_on a "mkdir -p /run/sshd; rm -f /tmp/host_key*
		ssh-keygen -q -t ed25519 -N '' -f /tmp/host_key
		echo '$(cat "$scratch")' > /tmp/allowed
		cat > /tmp/sshd_config <<-END
			Port 2222
			HostKey /tmp/host_key
			AuthorizedKeysFile /tmp/allowed
			StrictModes no
			PermitRootLogin yes
			UsePAM no
			Subsystem sftp internal-sftp
		END"
	served 2222 "$sshd"
	arrived "ssh: a file from a command" "$ssh cat /tmp/www/file"
	arrived "ssh: there and back" "$ssh cat < /tmp/file.sent"
	ends "scp to the server" "$smc_run scp $ssh_options -P 2222 /tmp/file.sent \
		root@$a:/tmp/file.scp && $ssh cmp /tmp/www/file /tmp/file.scp"
	ends "sftp from the server" "echo get /tmp/www/file /tmp/file.sftp |
		$smc_run sftp -b - $ssh_options -P 2222 root@$a &&
		cmp /tmp/file.sent /tmp/file.sftp"
	# the forwarded port leads from b through ssh to the web server
	sh_on b "setsid $smc_run ssh $ssh_options -p 2222 -N -L 9000:$a:8084 root@$a \
		< /dev/null > /tmp/forward.log 2>&1 & echo \$! > /tmp/forward.pid"
	background a "$smc_run python3 -m http.server --directory /tmp/www 8084"
	reachable 8084
	check "ssh: the forwarded port is open" within "$patience" \
		sh_on b "ss -Htln 'sport = 9000' | grep -q ."
	arrived "ssh: a file through a forwarded port" \
		"$smc_run curl -s http://127.0.0.1:9000/file"
	sh_on b "kill \$(cat /tmp/forward.pid)"
	end_background a
}

# Uses the keys of try_ssh. This function also checks the mode of ssh's connections:
# in try_ssh, reachable opens one by TCP.
try_rsync() {
	have rsync ssh || return
	sh_on a "cat > /tmp/rsyncd.conf <<-END
		use chroot = no
		uid = root
		gid = root
		[www]
			path = /tmp/www
			read only = no
	END"
	background a "$smc_run rsync --daemon --no-detach --port 8730 \
		--config /tmp/rsyncd.conf"
	served 2222 "$sshd"
	ends "rsync from a daemon" "rm -rf /tmp/got &&
		$smc_run rsync -a rsync://$a:8730/www/ /tmp/got &&
		cmp /tmp/got/file /tmp/file.sent"
	ends "rsync: a changed file, with delta transfer" \
		"echo more >> /tmp/got/file &&
		$smc_run rsync -a --checksum --no-whole-file rsync://$a:8730/www/ /tmp/got &&
		cmp /tmp/got/file /tmp/file.sent"
	ends "rsync to a daemon, compressed" \
		"$smc_run rsync -az /tmp/got/ rsync://$a:8730/www/copy/"
	ends "rsync through ssh" "rm -rf /tmp/got &&
		$smc_run rsync -a -e 'ssh $ssh_options -p 2222' root@$a:/tmp/www/ /tmp/got &&
		cmp /tmp/got/copy/file /tmp/file.sent"
	smcr_only "rsync and ssh" 4
	end_background a
}

try_git() {
	have git || return
	sh_on a "rm -rf /tmp/git && mkdir /tmp/git && cd /tmp/git && export HOME=/tmp &&
		git init -q one && cd one && cp /tmp/www/file . && git add file &&
		git -c user.name=a -c user.email=a@example.com commit -q -m one"
	served 9418 "git -c safe.directory='*' daemon --base-path=/tmp/git --export-all \
		--reuseaddr --enable=receive-pack"
	ends "git clone" "rm -rf /tmp/one && HOME=/tmp $smc_run git clone -q \
		git://$a/one /tmp/one && cmp /tmp/one/file /tmp/file.sent"
	ends "git push" "cd /tmp/one && export HOME=/tmp && echo two > two &&
		git add two &&
		git -c user.name=b -c user.email=b@example.com commit -q -m two &&
		$smc_run git push -q origin HEAD:two"
	ends "git fetch" "cd /tmp/one && HOME=/tmp $smc_run git fetch -q origin two"
	smcr_only git 3
	end_background a
}

try_node() {
	have node || return
	sh_on a "cat > /tmp/server.js <<-'END'
		const http = require('http'), fs = require('fs');
		http.createServer((ask, answer) => {
			if (ask.method === 'POST')
				ask.pipe(answer);
			else
				fs.createReadStream('/tmp/www/file').pipe(answer);
		}).listen(8085, '0.0.0.0');
	END"
	sh_on b "cat > /tmp/client.js <<-'END'
		const http = require('http'), fs = require('fs');
		const [host, method] = process.argv.slice(2);
		const ask = http.request({host, port: 8085, method},
					 answer => answer.pipe(process.stdout));
		if (method === 'POST')
			fs.createReadStream('/tmp/file.sent').pipe(ask);
		else
			ask.end();
	END"
	served 8085 "node /tmp/server.js"
	arrived "node: a file" "$smc_run node /tmp/client.js $a GET"
	arrived "node: there and back" "$smc_run node /tmp/client.js $a POST"
	smcr_only node 2
	end_background a
}

try_asyncio() {
	have openssl || return
	sh_on a "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=a \
		-keyout /tmp/tls.key -out /tmp/tls.crt 2> /dev/null
		cat > /tmp/echo.py <<-'END'
		import asyncio, ssl

		async def echo(reader, writer):
		    while data := await reader.read(100000):
		        writer.write(data)
		        await writer.drain()
		    if writer.can_write_eof():
		        writer.write_eof()
		    writer.close()

		async def file(reader, writer):
		    with open('/tmp/www/file', 'rb') as source:
		        await asyncio.get_running_loop().sendfile(
		            writer.transport, source)
		    writer.close()

		async def main():
		    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
		    context.load_cert_chain('/tmp/tls.crt', '/tmp/tls.key')
		    await asyncio.start_server(echo, '0.0.0.0', 8086)
		    await asyncio.start_server(file, '0.0.0.0', 8087)
		    await asyncio.start_server(echo, '0.0.0.0', 8088, ssl=context)
		    await asyncio.sleep(3600)

		asyncio.run(main())
	END"
	sh_on b "cat > /tmp/ask.py <<-'END'
		import asyncio, hashlib, ssl, sys

		async def one(port, tls, data):
		    reader, writer = await asyncio.open_connection(
		        sys.argv[1], port, ssl=tls)
		    async def send():
		        writer.write(data)
		        await writer.drain()
		        if not tls:
		            writer.write_eof()
		    sending = asyncio.ensure_future(send())
		    got = await (reader.readexactly(len(data)) if tls else reader.read())
		    await sending
		    writer.close()
		    return got

		async def main():
		    # User Mode Linux maps each page of a process by itself, and
		    # the machine limits the number of mappings (max_map_count)
		    source = open('/tmp/file.sent', 'rb')
		    if sys.argv[2] == 'file':
		        got = hashlib.sha256(await one(8087, None, b''))
		        if hashlib.file_digest(source, 'sha256').digest() != got.digest():
		            sys.exit('wrong data')
		        return
		    data = source.read(16 << 20)
		    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
		    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
		    port, tls = (8088, tls) if sys.argv[2] == 'tls' else (8086, None)
		    got = await asyncio.gather(*[one(port, tls, data)
		                                 for _ in range(4)])
		    if any(x != data for x in got):
		        sys.exit('wrong data: %s' % [len(x) for x in got])

		asyncio.run(main())
	END"
	served 8088 "python3 /tmp/echo.py"
	ends "asyncio: four streams there and back" "$smc_run python3 /tmp/ask.py $a echo"
	ends "asyncio: sendfile" "$smc_run python3 /tmp/ask.py $a file"
	ends "asyncio: four streams with TLS" "$smc_run python3 /tmp/ask.py $a tls"
	smcr_only asyncio 9
	end_background a
}

# iperf3's options, one set for each run; its data connections, and one for
# control
iperf_modes() {
	cat <<-END
		2 -t 1
		2 -t 1 -R
		3 -t 1 --bidir
		5 -t 1 -P 4
		2 -t 1 -Z
		2 -t 1 -Z -R
		2 -t 1 -N
		2 -t 1 -w 256K
		2 -n ${megabytes}M -l 1M
		2 -k 100 -l 4000
		2 -t 1 -C reno
		2 -t 1 -M 1400
		2 -t 1 -S 16
		2 -t 1 -b 20M
		2 -t 1 --fq-rate 20M
		2 -t 1 -F /tmp/file.sent
		2 -t 2 -O 1
		2 -t 1 --cport 5300
		2 -t 1 --connect-timeout 5000
		2 -t 1 --get-server-output --json
		1 -t 1 -u -b 10M
	END
}

try_iperf3() {
	local modes one options

	have iperf3 || return
	mapfile -t modes < <(iperf_modes)
	served 5201 "iperf3 -s"
	for one in "${modes[@]}"; do
		options=${one#* }
		count_connections
		ends "iperf3 $options" "$smc_run iperf3 -c $a $options"
		smcr_only "iperf3 $options" "${one%% *}"
	done
	check "iperf3: no run reported an error" \
		test "$(sh_on a "grep -c 'error' /tmp/background.log")" -eq 0
	end_background a
}

# A Go program makes system calls without the C library, so only BPF in the
# kernel can turn its sockets.
try_go() {
	local name="caddy, a Go program, by BPF"

	if [ "$LAB_KERNEL" != 6.12 ]; then
		skip "$name" "this kernel has no BPF switch"
		return
	fi
	have caddy curl || return
	sh_on a "mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup"
	background a "env HOME=/tmp $smc_run --bpf caddy file-server \
		--listen $a:8089 --root /tmp/www"
	check "$name, takes connections" within "$patience" \
		sh_on a "ss -Htln 'sport = 8089' | grep -q ."
	count_connections
	arrived "$name" "$smc_run curl -s http://$a:8089/file"
	smcr_only "$name" 1
	end_background a
}

ktap_start
"$tree/scripts/prepare" programs > "$scratch" 2>&1 ||
	fail "the programs are installed" "$(cat "$scratch")"
sh_on a "mkdir -p /tmp/www && cd /tmp/www && head -c 200 /dev/urandom > small &&
	dd if=/dev/urandom of=file bs=1M count=$megabytes 2> /dev/null"
sum=$(sh_on a "sha256sum < /tmp/www/file")
on a cat /tmp/www/file > "$scratch"
background a "$smc_run python3 -m http.server --directory /tmp/www 8080"
reachable 8080
arrived "the file is on both hosts" "$smc_run curl -s http://$a:8080/file |
	tee /tmp/file.sent"
end_background a
for one in wrk haproxy memcached ssh rsync git node asyncio iperf3 go; do
	"try_$one"
done
ktap_end
