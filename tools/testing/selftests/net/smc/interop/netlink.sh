#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that our netlink families answer as those of the kernel's own module do:
# with the same attributes, nesting and errnos. The same decoder reads the
# answers of both; it knows only the YAML specs, and checks the types.
#
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Both hosts have a link group, which fills the views, and a connection that
# stays on TCP.
pair=$tree/scripts/lablib/guest/stock
on "$OURS" "$pair" serve "$ours_address" > "$tmp/serve" 2>&1 &
if ! on "$STOCK" "$pair" connect "$ours_address" > "$tmp/connect" 2>&1 ||
   ! wait $!; then
	ktap_start
	fail "a connection between the two" "$(cat "$tmp/serve" "$tmp/connect")"
	ktap_end
fi
for host in "$OURS" "$STOCK"; do
	on "$host" "$selftests/programs/fall_back_once.py"
	if ! on "$host" "$run_module" netlink.shape > "$tmp/$host" 2> "$tmp/err"; then
		ktap_start
		fail "host $host answers" "$(cat "$tmp/err")"
		ktap_end
	fi
done
exec "$run_module" netlink.compare "$(on "$STOCK" uname -r)" "$tmp/$OURS" \
	"$tmp/$STOCK"
