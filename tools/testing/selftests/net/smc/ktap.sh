# SPDX-License-Identifier: GPL-2.0
# KTAP: the library for shell scripts that print results. The library uses only
# POSIX shell with "local".
# shellcheck shell=dash

ktap_count=0
ktap_failed=0
ktap_plan=''
ksft_skip=4	# exit status of a program that can do none of its tests

ktap_start() {
	echo "KTAP version 1"
}

# ktap_will_have NUMBER: number of results; without it ktap_end prints the plan
ktap_will_have() {
	ktap_plan=$1
	echo "1..$ktap_plan"
}

# ktap_finish: prints the plan if nothing has yet; returns an error if a test
# has failed
ktap_finish() {
	[ -n "$ktap_plan" ] || echo "1..$ktap_count"
	[ "$ktap_failed" -eq 0 ] && [ "$ktap_count" -gt 0 ]
}

# ktap_end: ktap_finish, then exits with its status
ktap_end() {
	ktap_finish
	exit
}

pass() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1"
}

# note TEXT: prints a remark, which does not count as a result
note() {
	printf '%s\n' "$1" | sed '/^#/!s/^/# /'
}

# fail NAME [DETAIL]
fail() {
	ktap_count=$((ktap_count + 1))
	ktap_failed=$((ktap_failed + 1))
	[ -z "${2:-}" ] || note "$2"
	echo "not ok $ktap_count - $1"
}

# skip NAME CAUSE
skip() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1 # SKIP $2"
}

# skip_all CAUSE: skips all tests; call it instead of ktap_start
skip_all() {
	echo "KTAP version 1"
	echo "1..0 # SKIP $1"
	exit $ksft_skip
}

# check NAME COMMAND...: passes if the command succeeds; otherwise shows its
# output
check() {
	local name="$1" out
	shift
	if out=$("$@" 2>&1); then
		pass "$name"
	else
		fail "$name" "$out"
	fi
}

# same WANTED GOT: compares two texts; "check" can call it
same() {
	[ "$1" = "$2" ] && return
	printf 'wanted: %s\ngot:    %s\n' "$1" "$2"
	return 1
}

# equal NAME WANTED GOT: passes if the two texts are equal
equal() {
	check "$1" same "$2" "$3"
}

# ktap_take NAME LINE: reads a line of another program's KTAP. A result in this
# line becomes a result of this test, and NAME precedes its name.
ktap_take() {
	case $2 in
	"KTAP version"*|1..*) ;;
	"ok "*|"not ok "*)
		ktap_count=$((ktap_count + 1))
		[ "${2#not}" = "$2" ] || ktap_failed=$((ktap_failed + 1))
		echo "${2%%ok *}ok $ktap_count - $1: ${2#*- }"
		;;
	*) note "$2" ;;
	esac
}

# ktap_take_all NAME: reads the KTAP of another program from standard input
ktap_take_all() {
	local line
	while IFS= read -r line; do
		ktap_take "$1" "$line"
	done
}
