#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs more cases as conformance.sh does, on a host whose devices need each DMA
# sync, and whose kernel lets an application wait in a page fault. No other lab
# kernel can do both.
# lab: --b none --nics 3 fresh
# kernels: 6.12 6.1
# deep: 6.1
# timeout: 600
# timer: 1
set -eu
here=$(dirname "$(readlink -f "$0")")
tree=$(readlink -f "$here/../../../../../..")
strict=$(make -s --no-print-directory -C "$here/../modules/strict_rnic" \
	LAB_KERNEL="$LAB_KERNEL" path)
built=$tree/build/$LAB_KERNEL/net/smc
"$LAB" exec --name "$LAB_NAME" a -- sh -ec "
	rmmod smc_diag smc
	insmod '$strict' bounce=1
	insmod '$built/smc.ko'
	insmod '$built/smc_diag.ko'
	sysctl -qw net.smc.echo_memory=0 net.smc.dead_path_memory=0" >&2
exec "$here/../run_module" conformance --suite strict "$@"
