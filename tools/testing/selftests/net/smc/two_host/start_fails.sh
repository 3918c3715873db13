#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that if the start of the module fails for lack of memory, the module
# undoes all its steps, and that the next start works. In each attempt another
# allocation fails; check-deep tries all of them.
#
# lab: fresh
# kernels: uml-debug
# timeout: 300
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

step=3
[ "${SMC_TEST_DEPTH:-}" != deep ] || step=1

ktap_start
check "the module goes" take_module b
if on b "$programs/inject_faults" start; then
	check "each start fails or works" on -t 200 b \
		"$programs/start_fails.py" \
		"$tree/build/$LAB_KERNEL/net/smc/smc.ko" "$step"
	on b "$programs/inject_faults" off
else
	fail "the kernel injects faults"
fi
for module in smc smc_diag; do
	check "$module starts" on b insmod \
		"$tree/build/$LAB_KERNEL/net/smc/$module.ko"
done
server_on_a
from_b "after the failures" --family smc --expect-mode smcr names
stop_server_on_a
ktap_end
