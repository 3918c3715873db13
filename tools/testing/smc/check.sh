#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs all tests of this directory and prints KTAP. Called by "make check".

set -u
cd "$(dirname "$0")" || exit 2
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../selftests/net/smc/ktap.sh
top=${SMC_TOP:-../../..}
out=${SMC_BUILD:-$top/build/testing-smc}
make=${MAKE:-make}
clang=${CLANG:-clang}
rounds=${FUZZ_ROUNDS:-2000000}
seconds=${FUZZ_SECONDS:-30}
schedules=${MODEL_SCHEDULES:-5000}

case $rounds$seconds$schedules in
*[!0-9]*)
	echo "FUZZ_ROUNDS, FUZZ_SECONDS, MODEL_SCHEDULES are whole numbers" >&2
	exit 2
	;;
esac
[ "$seconds" -le 60 ] || seconds=60

ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99
UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS

# run NAME COMMAND...: runs one test, and indents the output of the command.
# Every command limits its own time.
run() {
	name=$1
	shift
	log=$out/$name.log
	status=0
	"$@" >"$log" 2>&1 || status=$?
	sed 's/^/    /' "$log"
	if [ "$status" -eq 0 ]; then
		pass "$name"
	else
		fail "$name"
	fi
}

build() {
	"$make" -s "$out/$1" O="$out"
}

build_and_run() {
	program=$1
	shift
	build "$program" && timeout 300 "$out/$program" "$@"
}

made_pages_match() {
	build fsm_doc || return 1
	"$out/fsm_doc" |
		diff -u "$top/Documentation/networking/smc/state-machines.rst" - &&
		./fsm_pictures.sh --check "$out/fsm_doc" \
			"$top/Documentation/networking/smc/pictures" &&
		./reasons_doc.py --check "$top" &&
		./pictures.py --check
}

# Pages and pictures that are made from sources must match them.
doc_is_current() {
	made_pages_match || { echo "make -C tools/testing/smc doc"; return 1; }
}

# Findings stay in the build directory; fuzz_main --file repeats one.
libfuzzer() {
	rm -rf "$out/corpus"
	mkdir -p "$out/corpus" || return 1
	build fuzz_main && build fuzz_libfuzzer || return 1
	"$out/fuzz_main" --seeds "$out/corpus" || return 1
	timeout 120 "$out/fuzz_libfuzzer" -max_total_time="$seconds" -max_len=1024 \
		-timeout=5 -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="$out/finding-" "$out/corpus"
}

has_libfuzzer() {
	echo 'int LLVMFuzzerTestOneInput(const char *p, long n);
	      int LLVMFuzzerTestOneInput(const char *p, long n)
	      { return p && n < 0; }' |
		"$clang" -fsanitize=fuzzer,address -x c -o "$out/probe" - \
			>/dev/null 2>&1
}

mkdir -p "$out" || exit 2
ktap_start

run unit build_and_run unit
run fsm_tables build_and_run fsm_tables
run model build_and_run model "$schedules"
run fuzz_fixed_seed build_and_run fuzz_main "$rounds"
if [ "$seconds" -eq 0 ]; then
	skip fuzz_libfuzzer "FUZZ_SECONDS is 0"
elif ! has_libfuzzer; then
	skip fuzz_libfuzzer "$clang has no libFuzzer"
else
	run fuzz_libfuzzer libfuzzer
fi
run made_pages doc_is_current
run traces timeout 60 ./trace_test.py "$top"
run charts timeout 60 ./charts_test.py "$top"
run policy timeout 120 ./policy_test.py "$top"
run kubernetes timeout 60 ./kubernetes_test.py "$top"
run check_floors_selftest timeout 120 ./check_floors_test.py
run check_floors timeout 120 ./check_floors.py "$top"
run house timeout 60 ./house_test.py "$top"
run named_tests timeout 120 ./named_tests.py "$top"
run uapi timeout 300 ./uapi_test.py "$top" "$out/uapi"
run probes timeout 300 ./probe_test.py "$top" "$out/probes"
run conformance_selftest timeout 120 ./conformance_test.py
run conformance timeout 120 ./conformance.py --check
ktap_finish
