#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the tests within a host through run_kselftest.sh, as in a kernel tree:
# in_tree.sh installs the selftests from linux-source-6.12, and a host with the
# stock 6.12 kernel runs them, as a user would: a test that lacks something skips
# itself. Prints KTAP.
#
#	kselftest.sh [TEST...]		default: all, for example api.sh
#
# Part of the deep run.

set -u
top=$(realpath "$(dirname "$0")/../../..")
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. "$top/tools/testing/selftests/net/smc/ktap.sh" || exit 1
cache=${SMC_LAB_CACHE:-/var/cache/smcr-lab}
run=$cache/in-tree/kselftest/run_kselftest.sh
lab=$top/scripts/lab
name=kselftest-$$
limit=3600	# seconds for all tests together

tmp=$(mktemp -d) || exit 1
trap '"$lab" down --name "$name" > /dev/null 2>&1; rm -rf "$tmp"' EXIT

listed() {
	"$run" -l | sed 's/^net\/smc://'
}

# The results of run_kselftest.sh, without the output of the tests
results() {
	grep -E '^(not )?ok [0-9]+ selftests: net/smc: ' "$tmp/out"
}

# result TEST: reports what run_kselftest.sh says about it
result() {
	local line

	line=$(results | grep -E " net/smc: $1( # |$)")
	case $line in
	ok*"# SKIP"*)	skip "$1" "the test skips itself" ;;
	ok*)		pass "$1" ;;
	*)		fail "$1" "${line:-no result}
$(grep -E "^# (not ok|#) " "$tmp/out" | tail -n 20)" ;;
	esac
}

ktap_start
if ! "$top/tools/testing/smc/in_tree.sh" > "$tmp/install" 2>&1; then
	fail "selftests in a kernel tree" "$(grep -A 20 '^not ok' "$tmp/install")"
	ktap_finish
	exit
fi
[ $# -gt 0 ] || mapfile -t tests < <(listed)
[ $# -eq 0 ] || tests=("$@")
if ! "$lab" up --name "$name" --kernel 6.12 --hosts 1 > "$tmp/lab" 2>&1
then
	fail "a host" "$(cat "$tmp/lab")"
	ktap_finish
	exit
fi
chosen=()
for test in "${tests[@]}"; do
	chosen+=(-t "net/smc:$test")
done
"$lab" exec --name "$name" --timeout $limit a -- \
	env -u SMC_TEST_DEPTH "$run" "${chosen[@]}" > "$tmp/out" 2>&1
for test in "${tests[@]}"; do
	result "$test"
done
check "no kernel report" "$lab" dmesg-check a --name "$name"
ktap_finish
