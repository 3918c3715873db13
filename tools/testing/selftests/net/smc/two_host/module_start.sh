#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# socket() loads the module for a socket with IPPROTO_SMC. If another module owns
# that protocol, SMC works without it; if another module owns the family AF_SMC,
# the module does not start. The kernel log has a message in both cases.
#
# deep: 6.1
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

built=$tree/build/$LAB_KERNEL/net/smc

start_module() {
	on b insmod "$built/smc.ko"
}

# other OWNS: loads the module that owns a family or protocol
other() {
	on b insmod "$other_ko" "owns=\"$1\""
}

other_goes() {
	on b rmmod other_smc
}

# opens DOMAIN PROTOCOL: prints the error of socket(), or that there is none
# shellcheck disable=SC2317 # "check" calls it
opens() {
	on b python3 -c "import errno, socket
try:
    socket.socket($1, socket.SOCK_STREAM, $2).close()
    print('opens')
except OSError as err:
    print(errno.errorcode[err.errno])"
}

# socket_is ERROR DOMAIN PROTOCOL
# shellcheck disable=SC2317 # "check" calls it
socket_is() {
	same "$1" "$(opens "$2" "$3")"
}

# sockets_are NAME OF-IPV4 OF-IPV6 OF-AF_SMC: results of socket()
sockets_are() {
	check "$1: AF_INET" socket_is "$2" 2 256
	check "$1: AF_INET6" socket_is "$3" 10 256
	check "$1: AF_SMC" socket_is "$4" 43 0
}

# log_begins, logged TEXT: does the log have a new line with the text?
log_begins() {
	lines=$(on b dmesg | wc -l)
}

# shellcheck disable=SC2317 # "check" calls it
logged() {
	on b dmesg | tail -n +$((lines + 1)) | grep -F "$1"
}

# The directory of the kernel's modules has only this module, which
# modprobe finds by the alias that its file contains.
install_module() {
	# shellcheck disable=SC2016
	sh_on b 'release=$(uname -r)
		set -e
		rm -rf /tmp/tree
		mkdir -p "/lib/modules/$release" "/tmp/tree/lib/modules/$release"
		cp '"$built"'/smc.ko "/tmp/tree/lib/modules/$release"
		depmod -b /tmp/tree "$release" 2> /dev/null
		mount --bind "/tmp/tree/lib/modules/$release" \
			"/lib/modules/$release"
		mv /etc/modprobe.d/lab.conf /tmp'
}

uninstall_module() {
	# shellcheck disable=SC2016
	sh_on b 'umount "/lib/modules/$(uname -r)"
		mv /tmp/lab.conf /etc/modprobe.d'
}

# loads DOMAIN: a socket of the domain loads the module
loads() {
	check "no module" sh_on b "! test -d /sys/module/smc"
	check "socket() of domain $1 loads the module" socket_is opens "$1" 256
	on b rmmod smc
}

ktap_start
other_ko=$(make -s --no-print-directory -C "$selftests/modules/other_smc" \
	path LAB_KERNEL="$LAB_KERNEL") || {
	fail "module other_smc"
	ktap_end
}
check "the module goes" take_module b

install_module || fail "a directory with the module"
loads 2
loads 10
uninstall_module

other "for ever"
log_begins
check "protocol taken for ever: the module starts" start_module
check "... and says that AF_INET is not there" \
	logged "smc: protocol 256 of AF_INET belongs to another module"
check "... and AF_INET6" \
	logged "smc: protocol 256 of AF_INET6 belongs to another module"
sockets_are "taken for ever" EPROTOTYPE EPROTOTYPE opens
check "... and goes" on b rmmod smc
sockets_are "gone" EPROTOTYPE EPROTOTYPE EAFNOSUPPORT
other_goes

other protocol
log_begins
check "protocol taken: the module starts" start_module
sockets_are "the later one counts" opens opens opens
check "no complaint" eval '! logged "belongs to another module"'
check "... and goes" on b rmmod smc
sockets_are "the first one is back" EPROTOTYPE EPROTOTYPE EAFNOSUPPORT
other_goes

start_module
other protocol
sockets_are "the other is later" EPROTOTYPE EPROTOTYPE opens
other_goes
sockets_are "ours is back" opens opens opens
on b rmmod smc

other family
log_begins
check "family taken: the module does not start" eval '! start_module 2>&1'
check "... and says why" \
	logged "smc: family 43 belongs to the kernel or to another module"
sockets_are "nothing stays" EPROTONOSUPPORT EPROTONOSUPPORT EPROTOTYPE
other_goes

for module in smc smc_diag; do
	check "$module starts" on b insmod "$built/$module.ko"
done
on b sysctl -qw net.smc.echo_memory=0 net.smc.dead_path_memory=0
server_on_a
from_b "after all" --family inet-smc --expect-mode smcr names
stop_server_on_a
ktap_end
