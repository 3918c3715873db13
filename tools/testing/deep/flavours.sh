#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the modules for Debian's kernels in all their flavours; prints KTAP.
#
#	flavours.sh [VERSION-FLAVOUR...]
#
# Without argument: 6.1 and 6.12, each as amd64, cloud-amd64 and rt-amd64. The
# build needs only the headers of the kernels; the script takes the newest
# headers. The script installs nothing: if headers are missing, it prints the
# name of the package. Part of the deep run.

set -u
top=$(realpath "$(dirname "$0")/../../..")
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. "$top/tools/testing/selftests/net/smc/ktap.sh" || exit 1
modules=/lib/modules
limit=1800	# seconds for one build, on a busy machine

[ $# -gt 0 ] || set -- 6.1-amd64 6.1-cloud-amd64 6.1-rt-amd64 \
	6.12-amd64 6.12-cloud-amd64 6.12-rt-amd64

# The pattern for -rt-amd64 must match 6.1.0-56-rt-amd64 and
# 6.12.117+deb12-rt-amd64, but -amd64 must not.
newest() { # VERSION FLAVOUR
	find "$modules" -mindepth 1 -maxdepth 1 -printf '%f\n' |
		grep -E "^${1//./\\.}\.[^-]+(-[0-9][^-]*)?-$2$" | sort -rV |
		while read -r release; do
			[ -f "$modules/$release/build/Makefile" ] || continue
			echo "$release"
			break
		done
}

# 6.1 is the kernel of Debian 12 itself, so its packages have no version in
# their names.
package() { # VERSION FLAVOUR
	case $1 in
	6.1)	echo "linux-headers-$2" ;;
	*)	echo "linux-headers-$1-$2" ;;
	esac
}

# The build prints to stdout. Modules of another kernel would not be loaded.
build() { # RELEASE
	local dir ko magic

	dir=$(timeout -k 10 $limit "$top/scripts/kernel/module" \
		--kdir "$modules/$1/build" 2>&1) || { echo "$dir"; return 1; }
	dir=$(tail -n 1 <<< "$dir")
	for ko in smc smc_diag; do
		magic=$(modinfo -F vermagic "$dir/net/smc/$ko.ko") || return 1
		[ "${magic%% *}" = "$1" ] || {
			echo "$ko.ko is for ${magic%% *}, not $1"
			return 1
		}
	done
}

ktap_start
ktap_will_have $#
for name in "$@"; do
	version=${name%%-*}
	flavour=${name#*-}
	release=$(newest "$version" "$flavour")
	if [ -z "$release" ]; then
		skip "$name" "no headers: $(package "$version" "$flavour")"
	elif said=$(build "$release" 2>&1); then
		note "$release"
		pass "$name"
	else
		fail "$name" "$said"
	fi
done
ktap_finish
