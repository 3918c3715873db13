#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Loads a BPF program that decides about handshakes (net.smc.hs_ctrl) on a host
# with the stock 6.12 kernel; prints KTAP. The headers of this kernel have what
# a module's BTF needs. Debian's bpftool cannot load a struct_ops of a module,
# so the script builds the one of linux-source-6.12. Part of the deep run.

set -u
top=$(realpath "$(dirname "$0")/../../..")
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. "$top/tools/testing/selftests/net/smc/ktap.sh" || exit 1
programs=$top/tools/testing/selftests/net/smc/programs
cache=${SMC_LAB_CACHE:-/var/cache/smcr-lab}
lab=$top/scripts/lab
host=hs-ctrl-$$
choice=/proc/sys/net/smc/hs_ctrl
smcr=$top/tools/smcr/smcr
limit=1800	# seconds for a build, on a busy machine
refused="the program of net.smc.hs_ctrl forbids SMC"

tmp=$(mktemp -d) || exit 1
trap '"$lab" down --name "$host" > /dev/null 2>&1; rm -rf "$tmp"' EXIT

on() { # COMMAND LINE
	"$lab" exec --name "$host" --timeout 100 a -- sh -c "$*"
}

# The bpftool of 6.12 loads and unloads programs of modules, but ends with a
# segmentation fault after that.
bpftool() { # ARGUMENT...
	on "$tools/bpftool struct_ops $* > /dev/null 2>&1; true"
}

# compile FILE [OPTION]: the program of the test
compile() {
	clang -target bpf -g -O2 "${@:2}" -I"$tools/libbpf/include" \
		-I/usr/include/x86_64-linux-gnu \
		-c "$programs/hs_ctrl.bpf.c" -o "$1"
}

build_bpftool() {
	mkdir -p "$tools"
	timeout -k 10 $limit make -s -C "$source/tools/bpf/bpftool" \
		OUTPUT="$tools/" feature-llvm=0 feature-libbfd=0 \
		feature-clang-bpf-co-re=0 &&
		compile "$tmp/hs_ctrl.o" && compile "$tmp/sleeps.o" -DSLEEPS
}

# built: our module as it is, with BTF, and without
built() {
	local dir

	dir=$("$top/scripts/kernel/module" 6.12) || return
	cp "$dir/net/smc/smc.ko" "$dir/net/smc/smc_diag.ko" "$tmp/" &&
		readelf -S "$tmp/smc.ko" | grep -F ' .BTF ' &&
		objcopy --remove-section=.BTF "$tmp/smc.ko" "$tmp/without.ko"
}

# loads FILE: our module is replaced by this one
loads() {
	on "rmmod smc_diag smc && insmod $1 && insmod $tmp/smc_diag.ko"
}

# mode PORT[@ADDRESS] WANTED
mode() {
	local said

	said=$(on "$programs/modes_by_port.py $top/tools/smcss/smcss $1")
	[ "$said" = "$1 $2" ] || { echo "$said, not $2"; return 1; }
}

# written ERRNO NAME: writing the name fails with this error; 0: succeeds
written() {
	on "python3 -c '
import os
try:
    os.write(os.open(\"$choice\", os.O_WRONLY), b\"$2\\n\")
    print(0)
except OSError as e:
    print(e.errno)'" > "$tmp/errno"
	grep -x "$1" "$tmp/errno" > /dev/null || { cat "$tmp/errno"; return 1; }
}

# saves NAME: smcr saves this choice, in a file of the host
saves() {
	on "$smcr config save /tmp/saved.$1 &&
		grep -x 'sysctl net.smc.hs_ctrl = $1' /tmp/saved.$1"
}

# applies NAME WANTED: smcr applies that file, and this is the choice
applies() {
	on "$smcr config apply /tmp/saved.$1 && grep -x '$2' $choice"
}

ktap_start
source=$("$top/scripts/kernel/build" source) || exit 1
tools=$cache/bpftool-$(basename "$source")
check "smcr and smcss" make -s -C "$top" tools
check "a bpftool and the program" build_bpftool
check "the module has BTF" built
check "a host" "$lab" up --name "$host" --kernel 6.12 --hosts 1
check "without BTF: the module loads" loads "$tmp/without.ko"
check "without BTF: EOPNOTSUPP" written 95 by_port
check "without BTF: the log says so" \
	on "dmesg | grep 'net.smc.hs_ctrl needs'"
check "with BTF: the module loads" loads "$tmp/smc.ko"
check "no program yet: ENOENT" written 2 by_port
bpftool register "$tmp/sleeps.o"
check "a program that may sleep is refused" written 2 sleeps
bpftool register "$tmp/hs_ctrl.o"
check "the program is there" written 0 by_port
check "a name that is too long: ENOENT" written 2 by_port_by_port_x
check "the choice is shown" on "grep -x by_port $choice"
check "the program allows" mode 7630 "in-host"
check "the client may not ask" mode 7631 "TCP: $refused"
check "the client may not ask this address" \
	mode 7633@127.0.0.9 "TCP: $refused"
check "the client may not ask this address, mapped into IPv6" \
	mode 7634@::ffff:127.0.0.9 "TCP: $refused"
check "the client may ask another address, mapped into IPv6" \
	mode 7635@::ffff:127.0.0.8 in-host
check "the server may not grant" mode 7632 "TCP: peer does not offer SMC"
check "a namespace has a choice of its own" \
	on "unshare --net cat $choice | grep -x ''"
check "no choice" written 0 ""
check "no choice: allowed" mode 7631 "in-host"
check "no choice: saved" saves -
check "chosen again" written 0 by_port
check "the choice: saved" saves by_port
check "a saved file ends the choice" applies - ""
check "a saved file chooses" applies by_port by_port
check "the module is in use" on "! rmmod smc_diag smc; insmod $tmp/smc_diag.ko"
bpftool unregister name by_port
check "the program ends: allowed" mode 7631 "in-host"
check "the choice stays" on "grep -x by_port $choice"
bpftool register "$tmp/hs_ctrl.o"
check "the program is back" mode 7631 "TCP: $refused"
bpftool unregister name by_port
check "the modules unload" on "rmmod smc_diag && sleep 1 && rmmod smc"
check "no kernel report" "$lab" dmesg-check a --name "$host"
ktap_finish
