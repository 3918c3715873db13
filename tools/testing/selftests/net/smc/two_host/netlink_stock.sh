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
groups=
trap 'rm -rf "$tmp"' EXIT

# A link group on both, with which the views have something to tell; and a
# connection that stays on TCP.
# The stock module of 6.1 finds no device for it in a lab with one stock host.
pair=$tree/scripts/lablib/guest/stock
on a "$pair" serve "$a" > "$tmp/serve" 2>&1 &
if ! on b "$pair" connect "$a" > "$tmp/connect" 2>&1 || ! wait $!; then
	if [ "$LAB_KERNEL" != 6.1 ]; then
		ktap_start
		fail "a connection between the two" \
			"$(cat "$tmp/serve" "$tmp/connect")"
		ktap_end
	fi
	groups=--no-groups
fi
for host in a b; do
	on $host "$selftests/netlink/plain.py"
done
for host in a b; do
	if ! on $host "$shape" > "$tmp/$host" 2> "$tmp/err"; then
		ktap_start
		fail "host $host answers" "$(cat "$tmp/err")"
		ktap_end
	fi
done
exec "$selftests/netlink/compare.py" $groups "$tmp/a" "$tmp/b"
