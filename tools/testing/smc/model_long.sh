#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs MODEL_SCHEDULES (default 1000000) schedules of the model of two hosts
# with frames, on all processors. Part of the deep run; prints KTAP, and how
# many schedules there were. MODEL_SEED is the first seed; without it each run
# has other schedules.

set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../selftests/net/smc/ktap.sh || exit 1
out=$(realpath ../../../build)/testing-smc-model
schedules=${MODEL_SCHEDULES:-1000000}
seed=${MODEL_SEED:-$((RANDOM * 32768 * 32768 + RANDOM * 32768 + RANDOM))}
jobs=$(nproc)

case $schedules$seed in
*[!0-9]*) echo "MODEL_SCHEDULES and MODEL_SEED are whole numbers" >&2; exit 2 ;;
esac

ktap_start
ktap_will_have 1
mkdir -p "$out"
if ! make -s "$out/model" O="$out" > "$out/log" 2>&1; then
	fail model_long "$(cat "$out/log")"
	ktap_end
fi

each=$(((schedules + jobs - 1) / jobs))
pids=()
for ((job = 0; job < jobs; job++)); do
	"$out/model" "$each" $((seed + job * each)) > "$out/log.$job" 2>&1 &
	pids+=($!)
done
failed=0
for pid in "${pids[@]}"; do
	wait "$pid" || failed=1
done

total=$(cat "$out"/log.? "$out"/log.?? 2> /dev/null |
	awk '/^# covered: model, [0-9]+ schedules,/ { n += $4 } END { print n + 0 }')
note "covered: model, $total schedules from seed $seed"
if [ "$failed" -ne 0 ] || [ "$total" -lt "$schedules" ]; then
	fail model_long "$(tail -n 30 "$out"/log.*)"
else
	pass model_long
fi
ktap_end
