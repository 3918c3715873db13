# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that let the n-th of something fail, for one n after the
# other. Each attempt begins without a group. The test sets tmp, a file for what
# the command prints.
# shellcheck shell=bash
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

# shellcheck disable=SC2317 # "within" calls it
idle() {
	no_group_on a && no_group_on b
}

# no_groups: waits until all groups have ended; a group ends when it is idle
no_groups() {
	within "$patience" idle
}

# attempts FROM STEP MOST ARM FIRED COMMAND...: for each n runs ARM n, then the
# command, and waits for the end of all groups. Stops when nothing has failed,
# which FIRED n tells, because there is no n-th any more. Prints how far it came.
# shellcheck disable=SC2154 # the test sets tmp
attempts() {
	local nth=$1 step=$2 most=$3 arm=$4 fired=$5 n=0
	shift 5
	while [ "$nth" -lt "$most" ]; do
		"$arm" "$nth" || return
		"$@" > "$tmp" 2>&1 || { echo "number $nth:"; cat "$tmp"; return 1; }
		no_groups || { echo "number $nth: a group stays"; return 1; }
		"$fired" "$nth" || break
		n=$((n + 1))
		nth=$((nth + step))
	done
	echo "$n failures, and no number $nth"
	[ "$n" -gt 1 ] && [ "$nth" -lt "$most" ]
}
