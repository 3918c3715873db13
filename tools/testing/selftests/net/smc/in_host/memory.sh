#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# As two_host/memory.sh, for connections within a host.
# kernels: uml-debug
# timeout: 300
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/../lib.sh"

faults=$selftests/faults
"$faults" nth || skip_all "the kernel cannot inject faults"
ktap_start
relay "one fault" "$peer" --single "${scale[@]}" --family smc @fault
for percent in 2 20; do
	"$faults" $percent
	relay "$percent % fail" "$peer" --single "${scale[@]}" --family smc storm
	"$faults" off
	relay "memory is back" "$peer" --single "${scale[@]}" --family smc \
		--expect-mode inhost sizes names many
done
ktap_end
