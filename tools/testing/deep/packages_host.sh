#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# packages.sh runs these commands on its hosts, with the installed packages.
#
#	packages_host.sh serve			start nginx, unmodified
#	packages_host.sh stop			end nginx
#	packages_host.sh fetch ADDRESS		print the checksum of its file; curl
#						runs as a user without rights
#	packages_host.sh open ADDRESS		send a request, and keep the
#						connection
#	packages_host.sh close			send a second request on it, and
#						close the connection
#	packages_host.sh unload			wait until smc can be unloaded
#	packages_host.sh version VERSION|stock	is that smc loaded?

set -euo pipefail

conf=/run/nginx.conf

die() { echo "packages_host: $*" >&2; exit 1; }

wait_for() { # COMMAND...; a minute at most
	local tries=0

	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || die "waited in vain: $*"
		sleep 0.2
	done
}

serve() {
	cat > $conf <<-END
		user root;
		pid /run/nginx.pid;
		error_log /run/nginx.log;
		events { worker_connections 64; }
		http {
			access_log off;
			keepalive_timeout 3600;
			server { listen 80; root /srv; }
		}
	END
	mkdir -p /srv
	[ -e /srv/file ] || head -c 1M /dev/urandom > /srv/file
	smc_run nginx -c $conf
}

fetch() { # ADDRESS
	setpriv --reuid=65534 --regid=65534 --clear-groups smc_run \
		curl -sS --max-time 60 "http://$1/file" | sha256sum
}

# bash itself opens the connection, because bash is an unmodified program, too.
client() { # ADDRESS
	local line tries=3000 request='HEAD /file HTTP/1.1\r\nHost: a\r\n'

	exec 3<> "/dev/tcp/$1/80"
	echo "$BASHPID" > /run/client.pid
	printf '%b\r\n' "$request" >&3
	while read -r -u 3 line && [ "$line" != $'\r' ]; do
		echo "$line"
	done > /run/first
	until [ -e /run/go ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || exit 1
		sleep 0.2
	done
	printf '%bConnection: close\r\n\r\n' "$request" >&3
	cat <&3 > /run/second
}

open() { # ADDRESS
	rm -f /run/go /run/first /run/second
	setsid smc_run "$0" client "$1" > /run/client.out 2>&1 < /dev/null &
	wait_for grep -qs '^HTTP' /run/first
	grep -q '^HTTP.* 200 ' /run/first || die "$(head -n 1 /run/first)"
}

ended() {
	! kill -0 "$(cat /run/client.pid)" 2> /dev/null
}

close() {
	touch /run/go
	wait_for ended
	grep -q '^HTTP.* 200 ' /run/second || die "the connection broke"
}

unload() {
	wait_for eval 'modprobe -r smc_diag smc 2> /run/unload;
		[ ! -d /sys/module/smc ]'
}

version() { # VERSION
	local now

	[ -d /sys/module/smc ] || die "no smc is loaded"
	now=$(cat /sys/module/smc/version 2> /dev/null) || now=stock
	[ "$now" = "$1" ] || die "loaded is $now"
}

case ${1:-} in
serve|unload|close) "$1" ;;
stop)	nginx -c $conf -s stop ;;
fetch|open|client|version) "$@" ;;
*)	die "no such verb: ${1:-}" ;;
esac
