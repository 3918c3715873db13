#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A kernel that was started without IPv6 has SMC over IPv4.
#
# lab: --hosts 1 --nics 0 --boot ipv6.disable=1
# deep: 6.12
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# error DOMAIN PROTOCOL: prints the error of socket(), which without IPv6 must
# be the error of TCP
# shellcheck disable=SC2317 # "check" calls it
error() {
	same EAFNOSUPPORT "$(on a python3 -c "import errno, socket
try:
    socket.socket($1, socket.SOCK_STREAM, $2)
except OSError as err:
    print(errno.errorcode[err.errno])")"
}

ktap_start
check "TCP over IPv6" error 10 0
check "IPPROTO_SMC of AF_INET6" error 10 256
check "AF_SMC over IPv6" error 43 1
for family in smc inet-smc; do
	relay "$family" on a "$peer" --single "${scale[@]}" --family $family \
		--expect-mode inhost names
done
ktap_end
