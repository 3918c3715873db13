#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libFuzzer over the decoders for FUZZ_SECONDS (default 1200) on every processor,
# each with a seed of its own. Part of the deep run; prints KTAP, and how many
# executions there were.

set -u
cd "$(dirname "$0")" || exit 2
out=$(realpath ../../../build)/testing-smc-fuzz
seconds=${FUZZ_SECONDS:-1200}
jobs=$(nproc)

case $seconds in
''|*[!0-9]*) echo "FUZZ_SECONDS is a whole number" >&2; exit 2 ;;
esac

echo "KTAP version 1"
echo "1..1"
mkdir -p "$out/corpus"
if ! { make -s "$out/fuzz_main" "$out/fuzz_libfuzzer" O="$out" &&
	"$out/fuzz_main" --seeds "$out/corpus"; } > "$out/log" 2>&1; then
	sed 's/^/# /' "$out/log"
	echo "not ok 1 fuzz_long"
	exit 1
fi

pids=()
for ((job = 1; job <= jobs; job++)); do
	ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 \
		timeout $((seconds + 120)) "$out/fuzz_libfuzzer" \
		-seed=$((RANDOM * 32768 + RANDOM + 1)) -max_total_time="$seconds" \
		-max_len=1024 -timeout=5 -rss_limit_mb=1024 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="$out/finding-$job-" \
		"$out/corpus" > "$out/log.$job" 2>&1 &
	pids+=($!)
done
failed=0
for pid in "${pids[@]}"; do
	wait "$pid" || failed=1
done

total=$(cat "$out"/log.* |
	awk '/^stat::number_of_executed_units:/ { n += $2 } END { print n + 0 }')
echo "# covered: fuzz, $total executions"
if [ "$failed" -ne 0 ] || [ "$total" -eq 0 ]; then
	tail -n 30 "$out"/log.* | sed 's/^/# /'
	echo "not ok 1 fuzz_long"
	exit 1
fi
echo "ok 1 fuzz_long"
