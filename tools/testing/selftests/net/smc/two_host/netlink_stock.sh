#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What our netlink families answer is what those of the kernel's own module
# answer: attributes, nesting, errnos. Both are read by the same decoder, which
# knows only the YAML specs and checks the types.
#
# lab: --b stock
# kernels: 6.1 6.12
# timeout: 120
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

shape=$selftests/netlink/shape.py
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

for host in a b; do
	if ! on $host "$shape" > "$tmp/$host" 2> "$tmp/err"; then
		ktap_start
		fail "host $host answers" "$(cat "$tmp/err")"
		ktap_end
	fi
done
exec "$selftests/netlink/compare.py" "$tmp/a" "$tmp/b"
