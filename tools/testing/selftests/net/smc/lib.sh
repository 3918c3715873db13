# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests of this directory: KTAP, and running smc_peer.
#
# LAB_KERNEL (6.1, 6.12, uml, uml-debug) sets how much is done; inside a host,
# where it is not set, the running kernel tells.
# shellcheck shell=bash

selftests=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# Used by the tests.
# shellcheck disable=SC2034
{
tree=$(readlink -f "$selftests/../../../../..")
peer=$selftests/smc_peer
smcss=$tree/tools/smcss/smcss
smc_run=$tree/tools/smc_run/smc_run
}

if [ -z "${LAB_KERNEL:-}" ]; then
	case $(uname -r) in
	*-lab-debug) LAB_KERNEL=uml-debug ;;
	*-lab) LAB_KERNEL=uml ;;
	6.1.*) LAB_KERNEL=6.1 ;;
	*) LAB_KERNEL=6.12 ;;
	esac
fi

# Sizes are divided, time limits multiplied by these.
case $LAB_KERNEL in
uml-debug) div=16 slow=6 ;;
uml) div=1 slow=2 ;;
*) div=4 slow=4 ;;
esac
# shellcheck disable=SC2034
scale=(--div "$div" --slow "$slow")

# A loop at the end of a pipe counts for the script.
shopt -s lastpipe

ktap_count=0
ktap_failed=0

ktap_start() {
	echo "KTAP version 1"
}

# ktap_end: the plan and the exit status
ktap_end() {
	echo "1..$ktap_count"
	[ "$ktap_failed" -eq 0 ]
	exit
}

pass() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1"
}

# fail NAME [DETAIL]
fail() {
	ktap_count=$((ktap_count + 1))
	ktap_failed=$((ktap_failed + 1))
	[ -z "${2:-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
	echo "not ok $ktap_count - $1"
}

# skip NAME CAUSE
skip() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1 # SKIP $2"
}

skip_all() {
	echo "KTAP version 1"
	echo "1..0 # SKIP $1"
	exit 0
}

# check NAME COMMAND...: passes if the command does; shows what it said if not
check() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		pass "$name"
	else
		fail "$name" "$out"
	fi
}

# same WANTED GOT
same() {
	[ "$1" = "$2" ] && return
	printf 'wanted: %s\ngot: %s\n' "$1" "$2"
	return 1
}

# What comes about by itself does so within that time on machines that are many
# times slower, too.
patience=60

# within SECONDS COMMAND...: the command succeeds by then, tried again and again;
# shows what it said last if not
within() {
	local end=$((SECONDS + $1)) out
	shift
	until out=$("$@" 2>&1); do
		if [ "$SECONDS" -ge "$end" ]; then
			printf '%s\n' "$out"
			return 1
		fi
		sleep 0.2
	done
}

# silent COMMAND...: it says nothing
silent() {
	local out
	out=$("$@")
	[ -n "$out" ] || return 0
	echo "$out"
	return 1
}

# shellcheck disable=SC2317 # "within" calls it
list_without_head() {
	"$@" -a | sed 1d
}

# lists_nothing COMMAND...: the socket list gets empty soon; what is closed may
# have to hear the peer's last word yet.
lists_nothing() {
	within "$patience" silent list_without_head "$@"
}

# relay NAME COMMAND...: the results of an smc_peer become results of ours
relay() {
	local name=$1 line results=0 bad=0 status=255
	shift
	{ "$@" 2>&1 < /dev/null; echo "exit status $?"; } |
	while IFS= read -r line; do
		case $line in
		"KTAP version"*|1..*) ;;
		"exit status "*) status=${line#exit status } ;;
		"ok "*|"not ok "*)
			results=$((results + 1))
			ktap_count=$((ktap_count + 1))
			[ "${line#not}" = "$line" ] || bad=$((bad + 1))
			echo "${line%%ok *}ok $ktap_count - $name: ${line#*- }"
			;;
		"#"*) echo "$line" ;;
		*) echo "# $line" ;;
		esac
	done
	ktap_failed=$((ktap_failed + bad))
	# It died, or it never began.
	if [ "$results" -eq 0 ] || { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
		fail "$name: comes to its end" "exit status $status"
	fi
}
