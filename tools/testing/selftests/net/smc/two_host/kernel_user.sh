#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A user inside the kernel (sock_create_kern) has AF_SMC sockets as it has TCP
# sockets: blocking calls, callbacks, orderly end. A reader inside the kernel
# reads with read_sock(), by itself or through strparser, and its callback runs
# under the lock of the socket, by SMC-R, within a host and by TCP.
#
# deep: 6.1
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# shellcheck disable=SC2317 # "within" calls it
all_served() {
	same $((32 * 16384)) \
		"$(on a cat /sys/module/kernel_user/parameters/served)"
}

# module_of NAME: builds a module of the tests and prints its path
module_of() {
	make -s --no-print-directory -C "$selftests/modules/$1" path \
		LAB_KERNEL="$LAB_KERNEL"
}

# shellcheck disable=SC2317 # "within" calls it
reader_served() {
	same $((32 * 16384)) \
		"$(on a cat /sys/module/kernel_reader/parameters/served)"
}

# shellcheck disable=SC2317 # "check" calls it
always_locked() {
	local dir=/sys/module/kernel_reader/parameters

	[ "$(on a cat "$dir"/events)" -gt 0 ] || return
	same 0 "$(on a cat "$dir"/unlocked)"
}

# listen_by READER HOW: the reader starts on host a
listen_by() {
	check "$1, $2: host a listens" on a insmod "$reader_ko" reader="$1"
}

# reads READER HOW HOST ARGUMENT...: that reader gets what a client on HOST sends
reads() {
	local reader=$1 how=$2 host=$3
	shift 3

	check "$reader, $how: all bytes come back" \
		on "$host" insmod "$ko" to="$a" port=7751 "$@"
	check "$reader, $how: host a has sent all of it back" \
		within "$patience" reader_served
	check "$reader, $how: the callback owns the lock" always_locked
	check "$reader, $how: the modules leave" \
		sh_on "$host" "rmmod kernel_user"
	check "$reader, $how: the reader leaves" on a rmmod kernel_reader
}

many=10		# allocations of the reader may fail

# shellcheck disable=SC2317 # "check" calls it
some_failed() {
	local left
	left=$(on a "$programs/inject_faults" left failslab) &&
		[ "$left" -lt "$many" ]
}

# text_of FILE FUNCTION: where the function is in its module, for inject_faults
# shellcheck disable=SC2317 # fail_some calls it
text_of() {
	nm -S "$1" | awk -v module="$(basename "$1" .ko)" -v name="$2" \
		'$4 == name { print module ":" $1 ":" $2 }'
}

# fail_some: allocations of read_sock() will fail, but not those of its actor
# shellcheck disable=SC2317 # "check" calls it
fail_some() {
	on a "$programs/inject_faults" below "$many" \
		"$(text_of "$tree/build/$LAB_KERNEL/net/smc/smc.ko" \
			smc_reader_read_sock)" \
		"$(text_of "$reader_ko" kernel_reader_take)"
}

# short_of_memory: a callback that gets no memory is called again. Maybe no other
# event comes.
short_of_memory() {
	local faults=$programs/inject_faults how="without memory"

	on a "$faults" off
	if [ $? -eq 4 ]; then
		skip "callback, $how" "no fault injection"
		return
	fi
	listen_by callback "$how"
	check "callback, $how: allocations will fail" fail_some
	reads callback "$how" b
	check "callback, $how: allocations have failed" some_failed
	on a "$faults" off
}

# shellcheck disable=SC2317 # "within" calls it
bytes_waited() {
	same 5 "$(on a cat /sys/module/kernel_reader/parameters/unread)"
}

# closed_unread: the reader closes a connection of mode TCP whose bytes have
# arrived, before it has heard of them
closed_unread() {
	check "nobody reads: host a listens" on a insmod "$reader_ko" reader=nobody
	check "nobody reads: a TCP client sends" on b bash -c \
		"exec 3<> /dev/tcp/$a/7751; sleep 1; printf bytes >&3; cat <&3 || :"
	check "nobody reads: the bytes waited" within "$patience" bytes_waited
	check "nobody reads: the reader leaves" on a rmmod kernel_reader
}

ktap_start
ko=$(module_of kernel_user) || {
	fail "the module of the test is built" "$ko"
	ktap_end
}
reader_ko=$(module_of kernel_reader) || {
	fail "the module that reads is built" "$reader_ko"
	ktap_end
}
count_connections
check "the kernel of host a listens" on a insmod "$ko"
# The module returns the error of the first call that fails.
check "the kernel of host b sends, and its data comes back" \
	on b insmod "$ko" to="$a"
check "its mode is SMC-R" only_smcr 1
check "host a has sent all of it back" within "$patience" all_served
for host in a b; do
	check "the module leaves host $host" on $host rmmod kernel_user
done

readers=callback
# strp_init() belongs to kernels with kTLS or BPF for streams.
if on a grep -qw strp_init /proc/kallsyms; then
	readers="$readers strparser"
else
	skip "strparser reads" "the kernel has no strparser"
fi
for reader in $readers; do
	count_connections
	listen_by "$reader" "SMC-R"
	reads "$reader" "SMC-R" b
	check "$reader, SMC-R: its mode is SMC-R" only_smcr 1
	listen_by "$reader" "within a host"
	reads "$reader" "within a host" a
	listen_by "$reader" "TCP"
	reads "$reader" "TCP" b tcp=1
done
short_of_memory
closed_unread
ktap_end
