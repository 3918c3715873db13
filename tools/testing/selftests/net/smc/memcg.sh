#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests that the memory of accepted connections is charged to the memory cgroup
# of the program that listens, whether they use SMC or fell back to TCP, and
# that the charge is returned. An element is charged at once; by reference, the
# first window of 8 KiB is charged, and more only if the program reads. A program
# cannot reserve memory of the account that all connections share.
# kernels: 6.12 6.1
# deep: 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

hold=$programs/accept_and_hold.py
count=8
element=65536
window=8192
setting=/proc/sys/net/smc/extension
extension=$(cat "$setting")

root=$(mktemp -d)
said=$(mktemp)
group=$root/smc_test

# in_group COMMAND...: runs the command in the group until we close its standard
# input
in_group() {
	echo "$BASHPID" > "$group/cgroup.procs"
	exec "$@"
}

# shellcheck disable=SC2317 # "within" and the trap call them
{
sock_bytes() {
	awk '$1 == "sock" { print $2 }' "$group/memory.stat"
}

at_least() {
	echo "charged: $(sock_bytes)"
	[ "$(sock_bytes)" -ge "$1" ]
}

reserves_nothing() {
	local said
	said=$(in_group "$programs/reserve_memory.py")
	echo "account, getsockopt(): $said"
	[ "$said" = "not grown 0" ]
}

nothing_charged() {
	echo "charged: $(sock_bytes)"
	[ "$(sock_bytes)" -eq 0 ]
}

tidy() {
	[ -z "${input:-}" ] || exec {input}>&-
	wait
	echo "$extension" > "$setting"
	rm -f "$said"
	rmdir "$group"
	umount "$root"
	rmdir "$root"
}
}

# charged NAME FAMILY BYTES: so many bytes are charged for each connection
charged() {
	local keep before
	before=$(sock_bytes)
	exec {keep}> >("$hold" "$2" "$port" "$count" "$element" > "$said")
	check "$1: the clients are there" within "$patience" grep -q open "$said"
	check "$1: the listener's cgroup pays" \
		within "$patience" at_least $((before + count * $3))
	exec {keep}>&-
	wait $!
	: > "$said"
}

ktap_start
mount -t cgroup2 none "$root" || skip_all "no cgroup2"
echo +memory > "$root/cgroup.subtree_control" ||
	skip_all "this kernel has no memory cgroups"
mkdir "$group"
trap tidy EXIT
coproc server { in_group "$hold"; }
read -r port <&"${server[0]}"
input=${server[1]}
charged "SMC by reference" smc "$window"
echo 0 > "$setting"
charged "SMC" smc "$element"
charged "TCP" tcp "$element"
check "SO_RESERVE_MEM takes nothing from others" reserves_nothing
exec {input}>&-
# shellcheck disable=SC2154 # coproc sets it
wait "$server_PID"
check "nothing stays charged" within "$patience" nothing_charged
ktap_end
