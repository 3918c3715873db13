#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compiles the modules for arm64, with pages of 4, 16 and 64 KiB; prints KTAP.
# Elements, RMBs and slots are counted in pages. The KUnit suite smc-rmb-size has
# the same sizes of pages as arguments; this test shows that all other code fits
# them, too, and compiles without a warning for another processor.
#
# The script needs the compiler gcc-aarch64-linux-gnu. The compiled modules are
# not run. Part of the deep run.

set -u
top=$(realpath "$(dirname "$0")/../../..")
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. "$top/tools/testing/selftests/net/smc/ktap.sh" || exit 1
export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- KBUILD_MODPOST_WARN=1
cache=${SMC_LAB_CACHE:-/var/cache/smcr-lab}
jobs=${JOBS:-$(nproc)}
limit=1800	# seconds for one build, on a busy machine

# configured DIRECTORY PAGE-KIB: prepares a kernel for the build of modules
configured() {
	local dir=$1 kib=$2

	mkdir -p "$dir"
	cat > "$dir/lab.config" <<-END
		CONFIG_LOCALVERSION="-arm64-${kib}k"
		CONFIG_ARM64_${kib}K_PAGES=y
		CONFIG_MODULES=y
		CONFIG_MEMCG=y
		CONFIG_NET=y
		CONFIG_INET=y
		CONFIG_IPV6=y
		CONFIG_PCI=y
		CONFIG_INFINIBAND=y
		CONFIG_INFINIBAND_ADDR_TRANS=y
		CONFIG_NETDEVICES=y
		CONFIG_SMC=m
		CONFIG_SMC_DIAG=m
	END
	make -s -C "$source" O="$dir" KCONFIG_ALLCONFIG="$dir/lab.config" \
		allnoconfig || return
	grep -x "CONFIG_ARM64_${kib}K_PAGES=y" "$dir/.config" &&
		grep -x "CONFIG_SMC=m" "$dir/.config" || return
	timeout -k 10 $limit make -s -C "$source" O="$dir" -j"$jobs" \
		modules_prepare
}

# compiled DIRECTORY: there is no vmlinux in which modpost could look up symbols
compiled() {
	local built ko

	built=$(timeout -k 10 $limit "$top/scripts/kernel/module" --kdir "$1") ||
		return
	built=$(tail -n 1 <<< "$built")
	for ko in smc smc_diag; do
		readelf -h "$built/net/smc/$ko.ko" | grep AArch64 || return
	done
	! grep -F warning: "$built/build.log"
}

ktap_start
command -v ${CROSS_COMPILE}gcc > /dev/null ||
	skip_all "no compiler: gcc-aarch64-linux-gnu"
source=$(ARCH='' "$top/scripts/kernel/build" source) || exit 1
for kib in 4 16 64; do
	dir=$cache/arm64-${kib}k
	check "a kernel with pages of $kib KiB is prepared" \
		configured "$dir" $kib
	check "net/smc compiles for pages of $kib KiB" compiled "$dir"
done
ktap_finish
