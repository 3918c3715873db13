#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs libFuzzer on the decoders for FUZZ_SECONDS (default 1200) on every
# processor, each with a seed of its own, and then for the same time on the
# decoder of frames alone. With FUZZ_ONLY=frame it does only the latter. Part of
# the deep run; prints KTAP and the numbers of executions.

set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../selftests/net/smc/ktap.sh || exit 1
out=$(realpath ../../../build)/testing-smc-fuzz
seconds=${FUZZ_SECONDS:-1200}
jobs=$(nproc)

case ${FUZZ_ONLY:-} in
'')	targets="all frame" ;;
frame)	targets=frame ;;
*)	echo "FUZZ_ONLY is frame, or not set" >&2; exit 2 ;;
esac
case $seconds in
''|*[!0-9]*) echo "FUZZ_SECONDS is a whole number" >&2; exit 2 ;;
esac

# fuzz TARGET: starts the fuzzers, and waits for them
fuzz() {
	local job pid total failed=0 what="" pids=()

	[ "$1" = all ] || what=" of the $1 decoder"
	rm -f "$out"/log.*
	for ((job = 1; job <= jobs; job++)); do
		FUZZ_ONLY=$1 ASAN_OPTIONS=detect_leaks=1 \
			UBSAN_OPTIONS=print_stacktrace=1 \
			timeout $((seconds + 120)) "$out/fuzz_libfuzzer" \
			-seed=$((RANDOM * 32768 + RANDOM + 1)) \
			-max_total_time="$seconds" -max_len=1024 -timeout=5 \
			-rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix="$out/finding-$1-$job-" \
			"$out/corpus-$1" > "$out/log.$job" 2>&1 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || failed=1
	done
	total=$(cat "$out"/log.* |
		awk '/^stat::number_of_executed_units:/ { n += $2 }
		     END { print n + 0 }')
	note "covered: fuzz, $total executions$what"
	if [ "$failed" -ne 0 ] || [ "$total" -eq 0 ]; then
		fail "fuzz_long $1" "$(tail -n 30 "$out"/log.*)"
	else
		pass "fuzz_long $1"
	fi
}

ktap_start
ktap_will_have "$(wc -w <<< "$targets")"
for target in $targets; do
	mkdir -p "$out/corpus-$target"
	if ! { make -s "$out/fuzz_main" "$out/fuzz_libfuzzer" O="$out" &&
		"$out/fuzz_main" --seeds "$out/corpus-$target"; } \
		> "$out/log" 2>&1; then
		fail "fuzz_long $target" "$(cat "$out/log")"
	else
		fuzz "$target"
	fi
done
ktap_end
