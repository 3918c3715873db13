#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests smcr, smc_pnet, smc_rnics and smc_chk on a kernel without SMC: wrong
# arguments, error messages, exit statuses. Help, manual page and completion
# must have the same options.

cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. testing/selftests/net/smc/ktap.sh || exit 1

# run TOOL ARGUMENT...: prints the exit status, and "out" or "err" if the tool
# printed something there
run() {
	local tool=$1 status
	shift
	timeout 20 "$tool/$tool" "$@" > "$tmp/out" 2> "$tmp/err"
	status=$?
	echo "$status$([ -s "$tmp/out" ] && echo " out")$([ -s "$tmp/err" ] && echo " err")"
}

# wrong TOOL ARGUMENT...: the tool exits with status 2, and prints a message and
# the usage to stderr, in a few lines
wrong() {
	equal "$*" "2 err" "$(run "$@")"
	equal "$*: usage" "1 1" "$(grep -c '^usage: ' "$tmp/err") $((
		$(wc -l < "$tmp/err") <= 6))"
}

# usage WORDS TOOL ARGUMENT...: the same with this message
usage() {
	local words=$1
	shift
	wrong "$@"
	equal "$*: says why" "$words" "$(head -1 "$tmp/err")"
}

ktap_start

make -s -C lib/tests conf_table
timeout 120 lib/tests/conf_table "$tmp" > "$tmp/conf" 2>&1
status=$?
ktap_take_all "smc.conf" < "$tmp/conf"
equal "smc.conf: the table comes to its end" 0 $status

make -s -C lib/tests replace_test
timeout 120 lib/tests/replace_test "$tmp" > "$tmp/replaced" 2>&1
status=$?
ktap_take_all "a new file" < "$tmp/replaced"
equal "a new file: all tests ran" "0 11" \
	"$status $(grep -c '^ok' "$tmp/replaced")"

usage "smcr: an argument is missing" smcr
usage "smcr: unexpected argument 'bogus'" smcr bogus
usage "smcr: unexpected argument 'bogus'" smcr info bogus
usage "smcr: unexpected argument 'more'" smcr device show more
usage "smcr: unexpected argument 'bogus'" smcr linkgroup bogus
usage "smcr: unexpected argument 'bogus'" smcr stats bogus
usage "smcr: an argument is missing" smcr stats watch
usage "smcr: unexpected argument '0'" smcr stats watch 0
usage "smcr: unexpected argument 'x'" smcr stats watch x
usage "smcr: unexpected argument '1x'" smcr stats watch 1x
usage "smcr: unexpected argument '3'" smcr stats watch 1 2 3
for seconds in 0 x 1x nan inf 1e9 ''; do
	usage "smcr: unexpected argument '$seconds'" smcr top "$seconds"
done
usage "smcr: unexpected argument '0'" smcr top 1 0
usage "smcr: unexpected argument '3'" smcr top 1 2 3
usage "smcr: unexpected argument 'bogus'" smcr counters bogus
usage "smcr: unexpected argument 'b'" smcr metrics a b
usage "smcr: an argument is missing" smcr ueid add
usage "smcr: unexpected argument 'B'" smcr ueid add A B
usage "smcr: an argument is missing" smcr ueid del
usage "smcr: unexpected argument 'X'" smcr ueid flush X
usage "smcr: unexpected argument 'bogus'" smcr seid bogus
usage "smcr: unexpected argument 'bogus'" smcr limit bogus
usage "smcr: unexpected argument 'bogus'" smcr config bogus
usage "smcr: unexpected argument 'f'" smcr config show f
usage "smcr: unexpected argument 'g'" smcr config check f g
wrong smcr --bogus info

usage "smc_pnet: the name is missing" smc_pnet -a -I eth0
usage "smc_pnet: the name is missing" smc_pnet -d
usage "smc_pnet: more than one name" smc_pnet -a -I eth0 A B
usage "smc_pnet: --add needs --interface or --ibdevice" smc_pnet -a A
usage "smc_pnet: --flush takes no name" smc_pnet -f A
usage "smc_pnet: devices are given with --add only" smc_pnet -d -I eth0 A
usage "smc_pnet: --ibport needs --ibdevice" smc_pnet -a -I eth0 -P 1 A
for port in 0 3 x 1x ''; do
	usage "smc_pnet: the port of an RDMA device is 1 or 2" \
		smc_pnet -a -D mlx5_0 -P "$port" A
done
usage "smc_pnet: one of --show, --add, --delete and --flush" \
	smc_pnet -a -d -I eth0 A
wrong smc_pnet --bogus

wrong smc_rnics --bogus
wrong smc_rnics a b
equal "smc_rnics -a -r -I: accepted" "0 out" "$(run smc_rnics -a -r --IB-dev)"
for option in -d -e --disable --enable; do
	equal "smc_rnics $option: refused, on all machines" \
		"1 err smc_rnics: to turn a device on or off, use rdma or devlink" \
		"$(run smc_rnics $option 1a) $(cat "$tmp/err")"
done
equal "smc_rnics: help and page agree with that" "0 0" \
	"$(run smc_rnics -h > /dev/null; grep -c s390 "$tmp/out") $(
	   grep -c s390 smc_rnics.8)"
equal "smc_rnics: a device that is not there" "1 out err" \
	"$(run smc_rnics no-such-device)"
equal "smc_rnics: names it" "smc_rnics: no RDMA device no-such-device" \
	"$(cat "$tmp/err")"

usage "smc_chk: give exactly one of HOST, --server, --local and --pnetid" smc_chk
usage "smc_chk: unexpected argument 'b'" smc_chk a b
wrong smc_chk -S a
wrong smc_chk -l a
wrong smc_chk -l -S
wrong smc_chk --bogus a
for port in 0 65536 x 1x -1; do
	usage "smc_chk: '$port' is not a port from 1 to 65535" \
		smc_chk -p "$port" a
done
wrong smc_chk -S -C a
wrong smc_chk -C a b
wrong smc_chk -i lo a
equal "smc_chk: a port behind the host" 1 \
	"$(run smc_chk -d 127.0.0.1:9 > /dev/null
	   grep -c '^Path to 127.0.0.1, port 9$' "$tmp/out")"
equal "smc_chk: a port behind an IPv6 address" 1 \
	"$(run smc_chk -C '[::1]:9' > /dev/null
	   grep -c '^Path to ::1, port 9$' "$tmp/out")"
equal "smc_chk: an IPv6 address is no port" 1 \
	"$(run smc_chk ::1 > /dev/null
	   grep -c '^Path to ::1, port 37373$' "$tmp/out")"
equal "smc_chk: an IPv6 address in brackets" 1 \
	"$(run smc_chk '[::1]' > /dev/null
	   grep -c '^Path to ::1, port 37373$' "$tmp/out")"
for host in '[::1' '[::1]x' '[::1]:' '::1]' ''; do
	equal "smc_chk: no address: '$host'" 1 "$(run smc_chk "$host" > /dev/null
		grep -cxF "Path to $host, port 37373" "$tmp/out")"
done
equal "smc_chk: IPv4 address and -6" "3 out" "$(run smc_chk -6 127.0.0.1)"
equal "smc_chk: a host that is not known" "3 out" \
	"$(run smc_chk host.invalid)"

# chk_json ARGUMENT...: prints the exit status, and the address, the port and
# the status that the JSON has
chk_json() {
	echo "$(run smc_chk -j "$@") $(python3 -c '
import json, sys
v = json.load(sys.stdin)
print(v["address"], v["port"], v["status"])' < "$tmp/out")"
}
equal "smc_chk -j: a host that is not known" "3 out host.invalid 37373 3" \
	"$(chk_json host.invalid)"
equal "smc_chk -j: a port with zeros before it" "80 80" \
	"$(chk_json -p 0080 127.0.0.1 | awk '{ print $4 }') $(
	   chk_json 127.0.0.1:0080 | awk '{ print $4 }')"

# This kernel does not have the netlink families.
if ! grep -qs '^smc ' /proc/modules; then
	for line in "smcr info" "smcr -j device" "smcr linkgroup" "smcr link" \
		"smcr stats" "smcr top" "smcr ueid" "smcr ueid add A" "smcr seid enable" \
		"smcr limit disable" "smcr config" "smc_pnet" "smc_pnet A" "smc_pnet -f"; do
		read -ra words <<< "$line"
		run "${words[@]}" > "$tmp/status"
		equal "$line: without the module" \
			"1 ${words[0]}: the SMC module is not loaded: modprobe smc" \
			"$(cut -c 1 "$tmp/status") $(cat "$tmp/err")"
	done
	equal "smc_rnics: without the module" "0 out" "$(run smc_rnics)"
	equal "smc_chk: without the module" "1 out" "$(run smc_chk 127.0.0.1)"
	equal "smc_chk: says what to do" \
		"  Load it: modprobe smc. A container uses the module of its host." \
		"$(tail -1 "$tmp/out")"
	equal "smc_chk -S: without the module" \
		"1 err smc_chk: cannot listen at port 37373: the SMC module is not loaded: modprobe smc" \
		"$(run smc_chk -S) $(cat "$tmp/err")"
fi

make -s -C lib/tests fake_kernel.so

# local_check SOCKET NETNS_MODE KERNEL: prints what smc_chk --local finds on a
# simulated kernel: exit status, results of the steps, and the advice
local_check() {
	mkdir -p "$tmp/module/smc" "$tmp/module/ib_core/parameters"
	echo 0.9.0 > "$tmp/module/smc/version"
	echo "$2" > "$tmp/module/ib_core/parameters/netns_mode"
	FAKE_SOCKET=$1 FAKE_MODULE=$tmp/module FAKE_KERNEL=$3 \
		LD_PRELOAD=lib/tests/fake_kernel.so \
		timeout 20 smc_chk/smc_chk -l -j > "$tmp/out"
	echo "$? $(python3 -c '
import json, sys
v = json.load(sys.stdin)
print(v["status"], "; ".join(s["result"] for s in v["steps"]), "|",
      (v["advice"] or "none")[:26])' < "$tmp/out")"
}
equal "smc_chk -l: SMC-R is possible" \
	"0 0 yes; 0.9.0; shared; rxe0 port 1, lo | none" \
	"$(local_check 0 Y host)"
equal "smc_chk -l: devices are exclusive, and none is here" \
	"1 1 yes; 0.9.0; exclusive; none that is active | RDMA devices belong to one" \
	"$(local_check 0 N unplugged)"
equal "smc_chk -l: no device" \
	"1 1 yes; 0.9.0; shared; none that is active | There is no RDMA device wi" \
	"$(local_check 0 Y unplugged)"
equal "smc_chk -l: interfaces are in other namespaces" \
	"1 1 yes; 0.9.0; shared; none with an interface here | There are devices, but the" \
	"$(local_check 0 Y elsewhere)"
equal "smc_chk -l: interface and port are on one network" \
	"0 0 yes; 0.9.0; shared; rxe0 port 1, lo | none" \
	"$(FAKE_NET=NET1 local_check 0 Y host)"
equal "smc_chk -l: they are on two" \
	"1 1 yes; 0.9.0; shared; none: rxe0 port 1 has PNETID NET1, lo has NET9 | The PNETIDs put the interf" \
	"$(FAKE_NET=NET9 local_check 0 Y host)"
equal "smc_chk -l: a policy refuses the socket" \
	"1 1 Operation not permitted | See the seccomp profile of" \
	"$(local_check 1 Y host)"
equal "smc_chk -l: no module" \
	"1 1 Address family not supported by protocol | Load it: modprobe smc. A c" \
	"$(local_check 97 Y host)"

# rnics N: the devices of a simulated kernel, which has N of them, in
# $tmp/class
rnics() {
	local i port
	rm -rf "$tmp/class"
	for ((i = 0; i < $1; i++)); do
		port=$tmp/class/mlx5_$i/ports/1
		mkdir -p "$port/gid_attrs/ndevs"
		echo "4: ACTIVE" > "$port/state"
		echo Ethernet > "$port/link_layer"
		echo lo > "$port/gid_attrs/ndevs/0"
	done
	FAKE_DEVICES=$(($1 + 1)) FAKE_CLASS=$tmp/class FAKE_KERNEL=host \
		LD_PRELOAD=lib/tests/fake_kernel.so \
		timeout 20 smc_rnics/smc_rnics -j > "$tmp/out"
	python3 -c '
import collections, json, sys
print(*collections.Counter((p["usable"], p["smc"])
                           for p in json.load(sys.stdin)).items())' < "$tmp/out"
}
# pnets ARGUMENT...: runs smc_pnet on a simulated kernel, prints its exit status
pnets() {
	FAKE_KERNEL=host LD_PRELOAD=lib/tests/fake_kernel.so \
		timeout 20 smc_pnet/smc_pnet "$@" > "$tmp/out" 2> "$tmp/err"
	echo $?
}
equal "smc_pnet -j: an entry of each kind" \
"NET2 lo  0
NET1  rxe0 1" "$(FAKE_NET=NET2 pnets -j > /dev/null; python3 -c '
import json, sys
for e in json.load(sys.stdin):
    print(e["name"], e["interface"], e["device"], e["port"])' < "$tmp/out")"
for option in --json --show; do
	equal "smc_pnet $option: a kernel that does not answer" \
		"1 0 smc_pnet: Input/output error" \
		"$(FAKE_DUMP=5 pnets $option) $(wc -c < "$tmp/out") $(cat "$tmp/err")"
done
equal "smc_rnics: more than 64 devices" "((True, 'yes'), 100)" "$(rnics 100)"
equal "smc_rnics: a kernel that does not answer" \
	"((None, '? (Input/output error)'), 1)" "$(FAKE_DUMP=5 rnics 1)"
equal "smc_rnics: no module" \
	"((None, '? (the SMC module is not loaded: modprobe smc)'), 1)" \
	"$(FAKE_DUMP=2 rnics 1)"

if timeout 300 lib/tests/options.py > "$tmp/options" 2>&1; then
	pass "help, version, exit statuses, JSON and columns of all tools"
else
	fail "help, version, exit statuses, JSON and columns of all tools" \
		"$(cat "$tmp/options")"
fi
if timeout 300 lib/tests/fuzz.py > "$tmp/fuzz" 2>&1; then
	pass "right and wrong arguments of all tools end in a known way"
else
	fail "right and wrong arguments of all tools end in a known way" \
		"$(cat "$tmp/fuzz")"
fi

# Manual page and completion have all options of the help.
for tool in smcr smc_pnet smc_rnics smc_chk smcss smc_dbg smc_advise smc_ctl; do
	equal "$tool --help" "0 out" "$(run "$tool" --help)"
	grep -o -e '--[a-z]*' "$tmp/out" | sort -u > "$tmp/options"
	[ $tool != smcr ] ||
		sed -n 's/^  \([a-z]\{3,\}\) .*/\1/p' "$tmp/out" >> "$tmp/options"
	missing=
	while read -r option; do
		grep -q -e "$option" "completion/$tool" ||
			missing+=" $option (completion)"
		sed 's/\\-/-/g' "$tool.8" | grep -q -e "$option" ||
			missing+=" $option (manual page)"
	done < "$tmp/options"
	equal "$tool: manual page and completion know what help tells" "" \
		"$missing"
done

# Runs what "make uninstall" does for the modules of a kernel without headers.
equal "make uninstall without the headers of a kernel: no depmod" "" \
	"$(make -n -C .. uninstall KDIR=/nonexistent DESTDIR='' | grep depmod |
		sed 's/^/depmod() { echo called; }; /' | sh 2>&1)"

# All tools have one version, and CHANGELOG.md has an entry for it.
version=$(sed -n 's/^#define SMC_VERSION "\(.*\)"/\1/p' ../net/smc/base/version.h)
for tool in smcr smc_pnet smc_rnics smc_chk smcss smc_run smc_dbg smc_advise \
	smc_ctl; do
	equal "$tool --version" "0 out $tool $version" \
		"$(run $tool --version) $(cat "$tmp/out")"
done
equal "CHANGELOG.md begins with the version" "## $version" \
	"$(grep -m 1 '^## ' ../CHANGELOG.md)"

ktap_finish
