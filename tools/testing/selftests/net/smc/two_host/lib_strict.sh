# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that make the devices of both hosts strict: see
# modules/strict_rnic.
# shellcheck shell=bash
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

traits=/sys/module/strict_rnic/parameters

# build_strict: the module for this kernel
build_strict() {
	strict_ko=$(make -s --no-print-directory LAB_KERNEL="$LAB_KERNEL" \
		-C "$selftests/modules/strict_rnic" path) || {
		fail "module strict_rnic"
		ktap_end
	}
}

# Devices of this kernel can have DMA operations of their own.
can_bounce() {
	case $LAB_KERNEL in
	uml*) return 1 ;;
	esac
}

# strict TRAIT=VALUE...: from now on, in groups that begin then
strict() {
	local host
	modules_go
	for host in a b; do
		check "host $host: devices are strict ($*)" \
			on $host insmod "$strict_ko" "$@"
	done
	modules_come
}

# lenient: the devices are as they were. Nobody has made a mistake meanwhile, nor
# forgotten a mapping.
lenient() {
	local host
	modules_go
	for host in a b; do
		check "host $host: nothing is mapped any more" \
			same 0 "$(trait $host mapped)"
		check "host $host: no mistakes" same 0 "$(trait $host mistakes)"
		check "host $host: strict devices go" on $host rmmod strict_rnic
	done
	modules_come
}

# trait HOST NAME: its value
trait() {
	if [ "$2" = mapped ] && ! can_bounce; then
		echo 0
	else
		on "$1" cat "$traits/$2"
	fi
}

# set_trait HOST NAME VALUE
set_trait() {
	sh_on "$1" "echo $3 > $traits/$2"
}
