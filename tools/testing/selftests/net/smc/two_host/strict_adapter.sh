#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The devices of both hosts are as strict as adapters may be. Written data stays
# in a bounce buffer until a sync. No data can be sent inline. A work request
# has at most two pieces. Connections still use RDMA, their bytes are right, and
# every mapping is undone. If mappings fail, senders try again, and no link ends.
#
# lab: fresh
# kernels: 6.12 6.1 uml-debug
# deep: 6.1 6.12
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "$0")")/lib_strict.sh"

# data NAME: sends data in both directions; elements wrap and are used again
data() {
	server_on_a
	from_b "$1" --family smc --expect-mode smcr mixed_lengths churn8 \
		splice_to_socket byte_by_byte
	from_b "$1, used elements" --family smc --expect-mode smcr sizes
	stop_server_on_a
}

links() {
	on "$1" "$smcr" -j link | sort
}

# mappings_fail: each fifth mapping fails, while the existing group is used
mappings_fail() {
	local host
	declare -A before
	for host in a b; do
		before[$host]=$(links $host)
		set_trait $host map_fail_every 5
	done
	server_on_a
	from_b "mappings fail" --family smc mixed_lengths splice_to_socket \
		byte_by_byte
	stop_server_on_a
	for host in a b; do
		set_trait $host map_fail_every 0
		failed=$(trait $host map_failed)
		check "mappings fail: some of host $host did ($failed)" \
			[ "${failed:-0}" -gt 0 ]
		check "mappings fail: the links of host $host are the same" \
			same "${before[$host]}" "$(links $host)"
	done
}

# shellcheck disable=SC2317 # "within" calls it
no_links() {
	[ "$(links "$1")" = "[]" ]
}

# After a fatal error of the device its links end and nothing new begins on it,
# although the port is active for the RDMA core.
device_fatal() {
	set_trait b burst "device_fatal 1"
	check "a fatal error: host b has no link any more" \
		within 30 no_links b
	server_on_a
	from_b "a fatal error: TCP" --family smc --expect-mode tcp names
	set_trait b burst "port_active 1"
	# host a still has the group, and learns now that it has ended
	from_b "the port is active again" --family smc names
	from_b "the port is active again: SMC-R" --family smc \
		--expect-mode smcr names
	stop_server_on_a
}

ktap_start
build_strict
small="inline_bytes=0 sges=2 max_pages=64 vectors=4 comp_cpu=-2"
if can_bounce; then
	# shellcheck disable=SC2086 # words
	strict bounce=1 $small
	data "bounce buffers"
	for host in a b; do
		syncs=$(trait $host syncs)
		check "host $host: bytes were synced ($syncs)" \
			[ "${syncs:-0}" -gt 0 ]
	done
	mappings_fail
	device_fatal
	lenient
else
	check "this kernel cannot bounce, and the module says so" \
		sh_on a "! insmod $strict_ko bounce=1 &&
			dmesg | grep 'strict_rnic: no bounce'"
	# shellcheck disable=SC2086
	strict $small
	data "small queues"
	device_fatal
	lenient
fi
ktap_end
