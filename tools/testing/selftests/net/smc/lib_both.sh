# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that run in both places: within a host, and between two
# hosts where LAB names them. These tests run cases of smc_peer.
# shellcheck shell=bash

# Used by the tests.
# shellcheck disable=SC2034
if [ -n "${LAB_NAME:-}" ]; then
	# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
	. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/two_host/lib.sh"
	path="SMC-R" mode=smcr hosts=(a b)
else
	# shellcheck source=tools/testing/selftests/net/smc/lib.sh
	. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"
	path="in-host" mode=inhost hosts=("")
	a=127.0.0.1 a6=::1
fi

between_hosts() {
	[ "$path" = SMC-R ]
}

# begin_after COMMAND...: prints the head of the KTAP. Between hosts, it also
# runs the command and then starts the server of smc_peer.
begin_after() {
	ktap_start
	if between_hosts; then
		"$@"
		server_on_a
	fi
}

begin() {
	begin_after true
}

end() {
	if between_hosts; then
		stop_server_on_a
	fi
	ktap_end
}

# [to=ADDRESS] run_cases NAME ARGUMENT...: runs cases of smc_peer. Without
# options such as --family, both ends are SMC sockets over IPv4, and any mode is
# accepted.
run_cases() {
	local name=$1
	shift
	case " $* " in
	*" --family "*) ;;
	*) set -- --family smc "$@" ;;
	esac
	if between_hosts; then
		from_b "$name" "$@"
	else
		relay "$name" "$peer" --single ${to:+--addr "$to"} "${scale[@]}" \
			"$@"
	fi
}

# path_cases CASE...: runs cases in the SMC mode that this place must use
path_cases() {
	run_cases "$path" --family smc --expect-mode "$mode" "$@"
}
