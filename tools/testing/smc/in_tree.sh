#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds net/smc and its selftests inside a kernel tree. Both replace the stock
# files: the tree is linux-source-6.12 with net/smc, the uapi headers and the
# selftests of this tree. Prints KTAP.
#
#	in_tree.sh [DIRECTORY]		default: in-tree in the cache of the lab
#
# The kernel tree consists of links to the unpacked source in the cache, except
# for the directories that contain replaced files. Configuration and symbols
# come from the debug kernel in the cache, so that make compiles only net/smc.
# KASAN is off, because it would take most of the time. The script keeps the
# directory, which has the same path for each clone, so that ccache finds
# earlier results. A host of the lab runs one of the installed tests.

set -u
here=$(dirname "$(readlink -f "$0")")
top=$(readlink -f "$here/../../..")
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. "$top/tools/testing/selftests/net/smc/ktap.sh"

cache=${SMC_LAB_CACHE:-/var/cache/smcr-lab}
work=${1:-$cache/in-tree}
tree=$work/linux
obj=$work/obj
headers=$work/headers
installed=$work/kselftest
selftests=tools/testing/selftests
log=$work/log
jobs=$(nproc)

# open DIRECTORY: replaces the link by a directory of links, and does the same
# with its parent directories
open() {
	local dir=$1 name

	[ ! -e "$tree/$dir/.opened" ] || return 0
	[ "$dir" = . ] || { open "$(dirname "$dir")" && rm "$tree/$dir"; }
	mkdir -p "$tree/$dir"
	touch "$tree/$dir/.opened"
	for name in "$source/$dir"/* "$source/$dir"/.[a-z]*; do
		[ ! -e "$name" ] || ln -s "$name" "$tree/$dir/"
	done
}

# replace PATH: replaces it by the copy of this tree; make compares the times of
# the files
replace() {
	open "$(dirname "$1")"
	rm -rf "${tree:?}/$1"
	cp -a "$top/$1" "$tree/$1"
}

make_tree() {
	local header

	source=$("$top/scripts/kernel/build" source) &&
		kernel=$("$top/scripts/kernel/build" uml-debug) || return
	if [ "$(cat "$work/made-of" 2> /dev/null)" != "$kernel" ]; then
		rm -rf "$work"
		mkdir -p "$obj" "$headers"
		cp -a "$kernel/." "$obj/"
		# find(1) in "make headers" does not follow links.
		open include
		rm "$tree/include/uapi"
		cp -a "$source/include/uapi" "$tree/include/uapi"
		touch "$tree/include/uapi/.opened" "$tree/include/uapi/linux/.opened"
		echo "$kernel" > "$work/made-of"
	fi
	replace net/smc
	for header in "$top"/include/uapi/linux/smc*.h; do
		replace "include/uapi/linux/$(basename "$header")"
	done
	replace "$selftests/net/smc"
	make -s -C "$tree/$selftests/net/smc" clean OUTPUT=.
}

# in_tree ARGUMENT...: runs make in the kernel tree
in_tree() {
	if command -v ccache > /dev/null; then
		set -- CC="ccache gcc" "$@"
		export CCACHE_DIR=$cache/ccache CCACHE_MAXSIZE=1G
	fi
	make -C "$tree" -j"$jobs" "$@"
}

configure() {
	sed -i '/CONFIG_SMC\b/d; /CONFIG_SMC_/d; /CONFIG_KASAN/d' "$obj/.config"
	printf 'CONFIG_%s=m\n' SMC SMC_DIAG SMC_KUNIT_TEST >> "$obj/.config"
	in_tree -s ARCH=um O="$obj" olddefconfig || return
	same 3 "$(grep -cE '^CONFIG_SMC(_DIAG|_KUNIT_TEST)?=m$' "$obj/.config")"
}

# There is no vmlinux.o in which modpost could look up symbols, so find_symbols
# does that. scripts/kernel/module has checked the kernel-doc comments.
compile() {
	in_tree ARCH=um O="$obj" W=1 cmd_checkdoc= KBUILD_MODPOST_WARN=1 \
		net/smc/smc.ko net/smc/smc_diag.ko net/smc/smc_kunit.ko \
		> "$log" 2>&1 ||
		{ tail -n 40 "$log"; return 1; }
	! grep -E '(warning|error):' "$log"
}

# Uses the symbols that the debug kernel and its modules export.
find_symbols() {
	local dir=$work/modpost

	rm -rf "$dir"
	mkdir -p "$dir/net"
	cp -a "$obj/net/smc" "$dir/net/"
	grep -v "$(printf '\tnet/smc/')" "$obj/Module.symvers" > "$dir/kernel"
	(cd "$dir" && "$obj/scripts/mod/modpost" -M -i kernel -o all \
		net/smc/smc.o net/smc/smc_diag.o net/smc/smc_kunit.o)
}

# The objects contain the headers of this tree, and no header of stock SMC.
own_headers() {
	local used

	used=$(cat "$obj"/net/smc/.*.cmd "$obj"/net/smc/*/.*.cmd |
		grep -oE '[^ ]*uapi/linux/smc[a-z_]*\.h' | sort -u)
	same "" "$(grep -vE "^($tree/|\.\./linux/|.*/net/smc/)" <<< "$used")" || return
	[ -n "$used" ]
}

modules() {
	local ko

	for ko in smc smc_diag smc_kunit; do
		same "$version" "$(modinfo -F version "$obj/net/smc/$ko.ko")" ||
			return
		same "$ko" "$(modinfo -F intree "$obj/net/smc/$ko.ko" |
			sed "s/^Y$/$ko/")" || return
	done
}

# Checks the options alone, without a kernel tree.
standalone_kconfig() {
	local dir=$work/standalone

	mkdir -p "$dir"
	(cd "$dir" && srctree=$top "$obj/scripts/kconfig/conf" --allmodconfig \
		"$top/Kconfig") || return
	same 3 "$(grep -cE '^CONFIG_SMC(_DIAG|_KUNIT_TEST)?=[ym]$' \
		"$dir/.config")"
}

uapi() {
	in_tree -s ARCH=x86 O="$headers" headers
}

kselftest() {
	rm -rf "$installed"
	make -s -C "$tree/$selftests" -j"$jobs" TARGETS=net/smc O="$headers" \
		INSTALL_PATH="$installed" install
}

listed() {
	local name wanted

	wanted=$(cd "$top/$selftests/net/smc" && printf '%s\n' *.sh *.py |
		grep -vE '^(lib.*|ktap)\.sh$' | LC_ALL=C sort)
	same "$wanted" "$(cd "$installed" && ./run_kselftest.sh -l |
		sed 's/^net\/smc://' | LC_ALL=C sort)" || return
	for name in $wanted two_host/failover.sh interop/contact.sh \
		scripted/conformance.sh smctest/ktap.py; do
		[ -e "$installed/net/smc/$name" ] || { echo "no $name"; return 1; }
	done
}

# The directory is complete: the cases run over TCP, and a Python module starts.
runs() {
	cd / && "$installed/net/smc/smc_peer" --single --div 64 --family tcp names &&
		"$installed/net/smc/run_module" conformance --help > /dev/null
}

# A host of the lab has the files of this machine.
runs_in_host() {
	local lab="$top/scripts/lab" name=kselftest-$$ status=0

	"$lab" up --kernel uml --name "$name" --b none > "$log" 2>&1 ||
		{ tail -n 5 "$log"; return 1; }
	"$lab" exec --name "$name" a -- "$installed/run_kselftest.sh" \
		-t net/smc:data.sh > "$log" 2>&1
	"$lab" dmesg-check --name "$name" a || status=1
	"$lab" down --name "$name"
	grep -qx 'ok 1 selftests: net/smc: data.sh' "$log" && return $status
	grep -A1 '^# not ok' "$log" || tail -n 5 "$log"
	return 1
}

all() {
	check "the options of net/smc are configured" configure
	check "net/smc builds without a warning" compile
	check "modpost finds all symbols" find_symbols
	check "the uapi headers are those that were dropped in" own_headers
	check "the modules are of the tree, and say the version" modules
	check "the top-level Kconfig can be read by itself" standalone_kconfig
	check "the uapi headers are installed" uapi
	check "kselftest builds and installs its directory" kselftest
	check "run_kselftest.sh lists the tests within a host" listed
	check "what is installed runs" runs
	check "run_kselftest.sh runs a test in a host" runs_in_host
}

ktap_start
version=$(sed -n 's/^#define SMC_VERSION "\(.*\)"/\1/p' \
	"$top/net/smc/base/version.h")
mkdir -p "$work" || exit 1
exec 8> "$work.lock"
flock 8
if make_tree > "$work.log" 2>&1; then
	all
else
	fail "a kernel tree with net/smc dropped in" "$(cat "$work.log")"
fi
ktap_finish
