# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that make the devices of both hosts strict: see
# modules/strict_rnic.
# shellcheck shell=bash
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

traits=/sys/module/strict_rnic/parameters

# build_strict: builds the module for the kernel of the hosts
build_strict() {
	strict_ko=$(make -s --no-print-directory LAB_KERNEL="$LAB_KERNEL" \
		-C "$selftests/modules/strict_rnic" path) || {
		fail "module strict_rnic"
		ktap_end
	}
}

# can_bounce: succeeds if devices of this kernel can have DMA operations of
# their own
can_bounce() {
	case $LAB_KERNEL in
	uml*) return 1 ;;
	esac
}

# strict TRAIT=VALUE...: gives the devices these traits; this unloads and loads
# the modules
strict() {
	local host
	modules_go
	for host in a b; do
		check "host $host: devices are strict ($*)" \
			on $host insmod "$strict_ko" "$@"
	done
	modules_come
}

# lenient: makes the devices normal again, and checks that no user of the
# devices has made a mistake or has left a mapping
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

# trait HOST NAME: prints the value of the trait
trait() {
	if [ "$2" = mapped ] && ! can_bounce; then
		echo 0
	else
		on "$1" cat "$traits/$2"
	fi
}

# set_trait HOST NAME VALUE: gives the trait this value
set_trait() {
	sh_on "$1" "echo $3 > $traits/$2"
}
