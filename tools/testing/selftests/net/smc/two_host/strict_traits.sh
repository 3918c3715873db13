#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the tests of data, windows and the end of connections with strict
# devices, and gives the devices one strict trait after the other.
#
# lab: fresh
# kernels: 6.12 6.1 uml-debug
# deep: 6.12 6.1 uml-debug
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "$0")")/lib_strict.sh"

sets=("sges=2 inline_bytes=0 max_pages=16"
	"sges=30 vectors=64 comp_cpu=-2"
	"sges=1 vectors=1 comp_cpu=0 comp_ms=4")
if can_bounce; then
	sets+=("bounce=1 max_seg=4096 sges=16" "bounce=1 inline_bytes=0 sges=1")
fi

ktap_start
build_strict
for traits_set in "${sets[@]}"; do
	# shellcheck disable=SC2086 # words
	strict $traits_set
	for test in data flow close; do
		relay "$traits_set, $test" "$selftests/$test.sh"
	done
	set_trait a burst "gid_change 200"
	set_trait b burst "port_active 200"
	relay "$traits_set, after events" "$selftests/close.sh"
	lenient
done
ktap_end
