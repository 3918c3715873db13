# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests of this directory: running smc_peer, the tools, KTAP.
#
# LAB_KERNEL (6.1, 6.12, uml, uml-debug, smp-debug, s390x, arm64-64k) selects the
# amount of work. Inside a host the variable is not set, and the running kernel
# selects it.
# shellcheck shell=bash

selftests=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. "$selftests/ktap.sh"

# tool NAME: prints the path of the tool in this tree, or else of the installed
# tool
tool() {
	local built=$tree/tools/$1/$1

	if [ -x "$built" ]; then
		echo "$built"
	else
		command -v "$1"
	fi
}

# needs TOOL...: tools that the test cannot run without
needs() {
	local name
	for name; do
		[ -n "$(tool "$name")" ] || skip_all "$name is not installed"
	done
}

# Used by the tests.
# shellcheck disable=SC2034
{
tree=$(readlink -f "$selftests/../../../../..")
peer=$selftests/smc_peer
programs=$selftests/programs
run_module=$selftests/run_module
smcss=$(tool smcss)
smc_run=$(tool smc_run)
smcr=$(tool smcr)
}

# Under scripts/check, a test must fail if it cannot run; it must not skip
# itself silently.
if [ -z "${LAB_NAME:-}${SMC_TEST_DEPTH:-}" ] && [ ! -d /proc/sys/net/smc ] &&
   ! modprobe -q -a smc smc_diag; then
	skip_all "this kernel has no AF_SMC"
fi

# kernel_of RELEASE: prints the lab's name for the kernel with this release
kernel_of() {
	case $1 in
	*-lab-debug) echo uml-debug ;;
	*-lab-*) echo "${1#*-lab-}" ;;
	*-lab) echo uml ;;
	*-rt-*) echo 6.12-rt ;;
	6.1.*) echo 6.1 ;;
	*) echo 6.12 ;;
	esac
}

[ -n "${LAB_KERNEL:-}" ] || LAB_KERNEL=$(kernel_of "$(uname -r)")

# The tests divide sizes by div, and multiply time limits by slow.
case $LAB_KERNEL in
uml-debug) div=16 slow=6 ;;
smp-debug|s390x|arm64-64k) div=16 slow=8 ;;
uml)
	div=4 slow=2
	[ "${SMC_TEST_DEPTH:-}" != deep ] || div=1
	;;
*)
	div=16 slow=4
	[ "${SMC_TEST_DEPTH:-}" != deep ] || div=4
	;;
esac
# shellcheck disable=SC2034
scale=(--div "$div" --slow "$slow")

# With this option, a loop at the end of a pipe can change variables of the
# script.
shopt -s lastpipe

# Time limit for asynchronous events, which also holds on a much slower machine.
patience=60

# within SECONDS COMMAND...: repeats the command until it succeeds; after a
# timeout shows its last output
within() {
	local end=$((SECONDS + $1)) out tenths=2
	shift
	until out=$("$@" 2>&1); do
		if [ "$SECONDS" -ge "$end" ]; then
			printf '%s\n' "$out"
			return 1
		fi
		# a command on an emulated host is expensive
		sleep "$((tenths / 10)).$((tenths % 10))"
		[ "$tenths" -ge 5 ] || tenths=$((tenths + 1))
	done
}

# silent COMMAND...: the command prints nothing
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

# lists_nothing COMMAND...: succeeds when the socket list becomes empty. A
# closed socket may still wait for the peer's last message.
lists_nothing() {
	within "$patience" silent list_without_head "$@"
}

# own_counter NAME [COMMAND...]: prints the counter NAME of this host; COMMAND
# runs the reader, for example in a namespace
own_counter() {
	local name="$1"
	shift
	"$@" sed -n "s/^$name //p" /proc/net/smc_mib
}

# relay NAME COMMAND...: takes the results of a smc_peer as results of this test
relay() {
	local name=$1 line before=$ktap_count failed=$ktap_failed status=255
	shift
	{ "$@" 2>&1 < /dev/null; echo "exit status $?"; } |
	while IFS= read -r line; do
		case $line in
		"exit status "*) status=${line#exit status } ;;
		*) ktap_take "$name" "$line" ;;
		esac
	done
	# The program died before its last result, or printed no result.
	if [ "$ktap_count" -eq "$before" ] ||
	   { [ "$status" -ne 0 ] && [ "$ktap_failed" -eq "$failed" ]; }; then
		fail "$name: comes to its end" "exit status $status"
	fi
}
