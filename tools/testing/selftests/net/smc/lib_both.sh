# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that run in both places: within a host, and between two
# hosts where LAB names them. Their cases are those of smc_peer.
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

# begin_after COMMAND...: the head; between hosts the command, then the far end of
# smc_peer
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

# [to=ADDRESS] run_cases NAME ARGUMENT...: cases of smc_peer; without --family and the like
# both ends are SMC sockets over IPv4, in whatever mode comes about
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

# path_cases CASE...: by SMC, in the mode that the place has
path_cases() {
	run_cases "$path" --family smc --expect-mode "$mode" "$@"
}
