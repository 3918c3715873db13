#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests that bytes within a host move by reference, that no receive buffer is
# allocated for them, and that connections have elements if the setting forbids
# frames.
# deep: 6.1 6.12
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

setting=/proc/sys/net/smc/extension
before=$(cat "$setting")
trap 'echo "$before" > "$setting"' EXIT

# note_counters: sets the values that growth() subtracts
note_counters() {
	rmbs=$(own_counter RmbsAllocated) regions=$(own_counter MemoryRegistrations)
	writes=$(own_counter RdmaWrites) sent=$(own_counter BytesSent)
	lent=$(own_counter InHostBytesLent) copied=$(own_counter InHostBytesCopied)
	got=$(own_counter BytesReceived) moved=$(own_counter BytesReceivedLent)
}

# growth NAME BEFORE
growth() {
	echo $(($(own_counter "$1") - $2))
}

# in_host CASE...
in_host() {
	relay "$way" "$peer" --single "${scale[@]}" --family smc \
		--expect-mode inhost "$@"
}

# shellcheck disable=SC2317 # "check" calls it
# mostly_lent: of the bytes that were sent, at most a tenth was copied
mostly_lent() {
	local all
	all=$(growth BytesSent "$sent")
	echo "$all sent, $(growth InHostBytesLent "$lent") lent," \
		"$(growth InHostBytesCopied "$copied") copied"
	[ "$all" -gt 0 ] &&
		[ $((10 * $(growth InHostBytesCopied "$copied"))) -le "$all" ] &&
		[ "$(growth InHostBytesLent "$lent")" -gt 0 ]
}

# shellcheck disable=SC2317 # "check" calls it
# mostly_moved: at least a quarter of the bytes that were read went to a pipe with
# their pages. A relay reads one half, and it begins with a small window, whose
# bytes are copied.
mostly_moved() {
	local all
	all=$(growth BytesReceived "$got")
	echo "$all read, $(growth BytesReceivedLent "$moved") with their pages"
	[ "$all" -gt 0 ] &&
		[ $((4 * $(growth BytesReceivedLent "$moved"))) -ge "$all" ]
}

ktap_start
echo 15 > "$setting"
way="by reference"
note_counters
in_host bulk
check "$way: bulk is not copied" mostly_lent
note_counters
in_host splice_relay
check "$way: splice() moves pages" mostly_moved
in_host @data @close @abort @flow @urgent @splice
check "$way: no RMB is allocated" same 0 "$(growth RmbsAllocated "$rmbs")"
check "$way: no region is registered" \
	same 0 "$(growth MemoryRegistrations "$regions")"
check "$way: nothing is written to elements" \
	same 0 "$(growth RdmaWrites "$writes")"

echo 0 > "$setting"
way="with elements"
note_counters
in_host @data @close @abort
check "$way: an RMB is allocated" test "$(growth RmbsAllocated "$rmbs")" -gt 0
check "$way: bytes are written to elements" \
	test "$(growth RdmaWrites "$writes")" -gt 0
check "$way: nothing is lent" same 0 "$(growth InHostBytesLent "$lent")"
ktap_end
