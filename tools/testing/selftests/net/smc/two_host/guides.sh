#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The marked commands of the guides work, in their order, on two hosts, and print
# what the guides expect.
#
# lab: fresh
# kernels: uml
# also: uml
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

pages=$tree/Documentation/networking/smc
[ -d "$pages" ] || skip_all "the guides are not in this tree"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

paths=$(printf '%s:' "$tree"/tools/{smc_run,smcss,smcr,smc_pnet,smc_rnics,smc_chk,smc_dbg,smc_advise,smc_ctl})

# works NUMBER: runs one block; a daemon does not keep the output open
# shellcheck disable=SC2317 # "check" calls it
works() {
	local at=$tmp/$1 host said pattern status=0
	host=$(cat "$at.host")
	said=$(on "$host" env PATH="$paths$PATH" bash -c "
		$(printf 'bash -c %q > /tmp/guide.out 2>&1 < /dev/null' \
			"$(cat "$at.script")")
		status=\$?
		cat /tmp/guide.out
		exit \$status") || status=$?
	if [ "$status" != 0 ]; then
		echo "exit status $status"
		echo "$said"
		return 1
	fi
	while read -r pattern; do
		grep -qE -e "$pattern" <<< "$said" && continue
		echo "no '$pattern' in"
		echo "$said"
		return 1
	done < "$at.expect"
}

ktap_start
check "the marked commands are found" \
	"$programs/guide_blocks.py" "$tmp" "$pages"/*.rst
for script in "$tmp"/*.script; do
	number=$(basename "$script" .script)
	check "$(cat "$tmp/$number.name")" works "$number"
done
sh_on a "kill \$(cat /run/nginx.pid)
	$smc_run redis-cli -h $a shutdown nosave" > /dev/null 2>&1
check "no socket is left" lists_nothing on a "$smcss" -a
ktap_end
