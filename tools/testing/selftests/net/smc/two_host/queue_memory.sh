#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that the memory of queue pairs is charged to the memory cgroup of the
# socket that makes the group, on both hosts. A handshake creates the first
# link, and the worker of the group creates the second.
#
# lab: --nics 2
# kernels: 6.12 6.1
# deep: 6.1
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7613
crowd=$selftests/programs/many_connections.py
root=/tmp/queue_memory
group=$root/smc_test
held=/tmp/queue_memory.held
# Receives, slots and buffers of an idle link have 70 KB. The keys of a group have
# 18 KB, the group 8 KB, and the kernel charges some memory in advance.
two_links=110000
at_most=$((2 * 74 * 1024 + 40 * 1024))

# cgroup_on HOST
cgroup_on() {
	sh_on "$1" "mkdir $root && mount -t cgroup2 none $root &&
		echo +memory > $root/cgroup.subtree_control && mkdir $group"
}

# in_group HOST COMMAND: starts the command in the group
in_group() {
	background "$1" "sh -c 'echo \$\$ > $group/cgroup.procs; exec $2'"
}

# kernel_bytes HOST: kernel memory that is charged to the group
kernel_bytes() {
	sh_on "$1" "grep '^kernel ' $group/memory.stat" | cut -d' ' -f2
}

# shellcheck disable=SC2317 # "within" calls them
{
no_process() {
	sh_on "$1" "grep 'populated 0' $group/cgroup.events"
}

# shrunk HOST BYTES: succeeds when the memory is less by BYTES than
# ${before[HOST]}
shrunk() {
	local now
	now=$(kernel_bytes "$1")
	echo "charged: ${before[$1]} before, $now now"
	[ $((before[$1] - now)) -ge "$2" ]
}

# costs_little HOST: compares the memory with ${before[HOST]}
costs_little() {
	[ $((before[$1] - $(kernel_bytes "$1"))) -le "$at_most" ]
}

two_links_on() {
	[ "$(on "$1" "$smcr" link | grep -c " ACTIVE ")" -eq 2 ]
}
}

declare -A before
ktap_start
reload
for host in a b; do
	cgroup_on $host || skip_all "no memory cgroup"
done
in_group a "$smc_run $crowd --listen $port"
check "the server listens" within "$patience" sh_on a \
	"$smcss -l | grep ':$port '"
sh_on b "touch $held"
in_group b "$smc_run $crowd $a $port 1 $held"
for host in a b; do
	check "host $host: the group has two links" \
		within "$patience" two_links_on $host
done
sh_on b "rm $held"
for host in b a; do
	lists_nothing on b "$smcss"
	end_background $host 2> /dev/null
	check "host $host: no process is left in the cgroup" \
		within "$patience" no_process $host
	before[$host]=$(kernel_bytes $host)
done
# the rest is charged for the idle group
modules_go
for host in a b; do
	check "host $host: the cgroup has paid for both links" \
		within "$patience" shrunk $host $two_links
	check "host $host: the links were small" costs_little $host
	note "$(shrunk $host 0)"
	sh_on $host "rmdir $group; umount $root; rmdir $root"
done
modules_come
ktap_end
