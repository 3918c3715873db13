#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests "make tools", "make modules" and "make bench" on a system with only
# Debian's base packages and make: a chroot that mmdebstrap creates, with this
# machine's package sources.
#
#   tools/testing/deep/chroot_bench.sh [--no-cache] [BENCH-ARGUMENT...]
#
# The arguments are for tools/testing/bench/run; the default is --quick. The
# chroot sees a copy of this machine's cache of test kernels; with --no-cache it
# builds its own, which takes minutes more.
#
# Needs root and the package mmdebstrap. Everything runs in a mount namespace
# and a process namespace of its own, so that no mount and no process remains,
# however the script ends.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../../.." && pwd)
cache=${SMC_LAB_CACHE:-/var/cache/smcr-lab}
# shellcheck source=tools/testing/deep/lib.sh
. "$here/lib.sh"

# -- the chroot ---------------------------------------------------------------

mount_all() { # DIRECTORY
	local dir

	mount -t proc proc "$1/proc"
	for dir in sys dev; do
		mount --rbind "/$dir" "$1/$dir"
	done
	[ -n "$use_cache" ] && [ -d "$cache" ] || return 0
	mkdir -p "$1/var/cache/smcr-lab" "$scratch/upper" "$scratch/work"
	mount -t overlay -o "lowerdir=$cache,upperdir=$scratch/upper,workdir=$scratch/work" \
		overlay "$1/var/cache/smcr-lab"
}

# shellcheck disable=SC2317 # called by "refused"
nobody() { # COMMAND...
	chroot --userspec=65534:65534 "$root" /usr/bin/env -i PATH="$path" \
		HOME=/ LC_ALL=C.UTF-8 "$@" < /dev/null
}

# -- the cases ----------------------------------------------------------------

only_base() {
	local package status=0

	# shellcheck disable=SC2016 # dpkg-query's own variable
	for package in gcc python3 libibverbs-dev libmnl-dev linux-source-6.12; do
		! in_root dpkg-query -W -f '${db:Status-Status}\n' "$package" \
			2> /dev/null | grep -qx installed || status=1
	done
	result $status "the chroot has none of the packages that are needed"
}

# refused NAME WORD COMMAND...: the command fails and prints one line of our
# build with WORD
refused() {
	local name=$1 word=$2 status=0 log=$scratch/refused
	shift 2

	"$@" > "$log" 2>&1 && status=1
	grep -v '^make' "$log" > "$log.ours" || true
	[ "$(wc -l < "$log.ours")" = 1 ] || status=1
	grep -qF -e "$word" "$log.ours" || status=1
	result $status "$name" "$log"
}

tools_work() {
	local log=$scratch/tools status=0

	in_root make -C /src tools > "$log" 2>&1 || status=1
	grep -q '^prepare: installing.* libmnl-dev' "$log" || status=1
	in_root /src/tools/smcr/smcr --help > /dev/null 2>> "$log" || status=1
	result $status "make tools installs what it needs, says so, and builds" "$log"
}

bench_works() { # BENCH-ARGUMENT...
	local log=$scratch/bench status=0 text

	in_root make -C /src bench BENCH_ARGS="$*" > "$log" 2>&1 || status=$?
	sed 's/^/# /' "$log"
	result $status "make bench BENCH_ARGS=\"$*\" ends with status 0"
	status=0
	for text in '^prepare: installing.* libibverbs-dev' ': starting the hosts'; do
		grep -q "$text" "$log" || status=1
	done
	[ -n "$use_cache" ] || grep -q '^kernel/build: building uml' "$log" ||
		status=1
	result $status "make bench says what takes long"
}

# The process namespace contains this script and the processes that it has
# started.
nothing_left() {
	local status=0

	[ -z "$(ls "$root/tmp/smc-lab-0" 2> /dev/null)" ] || status=1
	pgrep -a . | grep -vF "$0" > "$scratch/left" && status=1
	result $status "no lab and no process is left" "$scratch/left"
}

inside() { # SCRATCH BENCH-ARGUMENT...
	scratch=$1
	shift
	root=$scratch/root
	ktap_start
	make_root "$root" "$scratch/mmdebstrap" make ||
		bail_out "mmdebstrap fails" "$scratch/mmdebstrap"
	mount_all "$root"
	copy_tree "$tree" "$root/src"
	only_base
	refused "make bench without root names the packages" libibverbs-dev \
		nobody make -s -C /src bench
	refused "make tools without root names the packages" libmnl-dev \
		nobody make -s -C /src tools
	refused "make modules names the headers that KDIR belongs to" \
		linux-headers-0.0.0-none \
		nobody make -s -C /src modules \
		KDIR=/lib/modules/0.0.0-none/build
	tools_work
	bench_works "$@"
	refused "make bench without root says that it is needed" root \
		nobody make -s -C /src bench
	nothing_left
	ktap_finish
}

# -- the start ----------------------------------------------------------------

use_cache=${CHROOT_BENCH_CACHE-y}
if [ "${1:-}" = --inside ]; then
	shift
	inside "$@"
	exit
fi
if [ "${1:-}" = --no-cache ]; then
	use_cache=''
	shift
fi
[ "$(id -u)" = 0 ] || bail_out "only root can make a chroot"
command -v mmdebstrap > /dev/null || bail_out "package mmdebstrap is missing"
[ $# -gt 0 ] || set -- --quick
scratch=$(mktemp -d /var/tmp/chroot-bench.XXXXXX)
chmod 755 "$scratch"
child=''
trap '[ -z "$child" ] || kill -KILL "$child" 2> /dev/null || true
	wait
	rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
CHROOT_BENCH_CACHE=$use_cache setpriv --pdeathsig KILL \
	unshare --mount --pid --fork --kill-child --mount-proc \
	"$0" --inside "$scratch" "$@" &
child=$!
status=0
wait "$child" || status=$?
child=''
exit $status
