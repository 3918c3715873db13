#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the packages, from "make deb" and "make rpm" to uninstallation.
#
# 	tools/testing/deep/packages.sh [--no-boot]
#
# The test builds the packages twice in different environments, compares the
# results, and checks them with lintian and rpmlint. The test creates a root
# directory with mmdebstrap and Debian's 6.12. There it installs, upgrades,
# downgrades and purges the packages, and DKMS builds and signs the modules. Two
# QEMU hosts start from that root, with systemd. The hosts test the units,
# SMC-R between them, upgrade and purge with an open connection, settings of an
# administrator, and kernels that require signatures. --no-boot skips the hosts.
#
# Prints KTAP. Needs root. The test takes about a quarter of an hour.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../../.." && pwd)
# shellcheck source=tools/testing/deep/lib.sh
. "$here/lib.sh"
address=10.77.0.1
names="smcr-dkms smcr-tools smcr-dev"
needed=openssl,dkms,libc6-dev,pkgconf,curl,nginx-light,iproute2,kmod,busybox,procps
needed+=,systemd,udev

# -- building -----------------------------------------------------------------

# Copies the tree, with another version if the caller names one.
copy_as() { # DIRECTORY [VERSION]
	"$tree/packaging/copy" "$1"
	[ $# = 1 ] || sed -i "s/$version/$2/" "$1/net/smc/base/version.h" \
		"$1/CHANGELOG.md"
}

build() { # KIND DIRECTORY LOG [NAME=VALUE]...
	local kind=$1 dir=$2 log=$3
	shift 3
	env SOURCE_DATE_EPOCH="$epoch" "$@" make -C "$dir" "$kind" > "$log" 2>&1
}

reproducible() {
	local file status=0 log=$scratch/differ a=$scratch/one
	local b=$scratch/another/place/of/the/tree

	copy_as "$a"
	mkdir -p "${b%/*}"
	(umask 027 && copy_as "$b")
	build deb "$a" "$scratch/build" || bail_out "make deb fails" "$scratch/build"
	(umask 077 && build deb "$b" "$scratch/build" TZ=Asia/Tokyo LC_ALL=C \
		HOME=/nonexistent DEB_BUILD_OPTIONS=parallel=1) ||
		bail_out "make deb fails elsewhere" "$scratch/build"
	for file in "$a"/build/deb/*.{deb,dsc,tar.xz}; do
		cmp "$file" "$b/build/deb/${file##*/}" >> "$log" 2>&1 || status=1
	done
	[ "$(find "$a/build/deb" -name '*.deb' | wc -l)" = 4 ] || status=1
	result $status "packages built in two places are the same bytes" "$log"
}

lintian_clean() {
	local status=0 log=$scratch/lintian

	lintian --allow-root --display-info --pedantic \
		"$scratch"/one/build/deb/*.changes > "$log" 2>&1 || status=1
	[ ! -s "$log" ] || status=1
	result $status "lintian has nothing to say" "$log"
}

rpm_clean() {
	local status=0 log=$scratch/rpm

	build rpm "$scratch/one" "$log" || status=1
	result $status "make rpm" "$log"
	status=0
	rpmlint -c "$tree/packaging/rpmlint.toml" \
		"$scratch"/one/build/rpm/SPECS/smcr.spec \
		"$scratch"/one/build/rpm/{RPMS/*,SRPMS}/*.rpm > "$log" 2>&1 ||
		status=1
	grep -q ' 0 errors, 0 warnings' "$log" || status=1
	result $status "rpmlint has nothing to say" "$log"
}

# The file of counters is not in the package, but belongs to it. Debian's rpm
# asks for alien on stderr, and cannot run scripts in this empty root.
rpm_removes_counters() {
	local status=0 log=$scratch/rpm top=$scratch/rpm-root
	local counters=$top/var/lib/node_exporter/textfile_collector/smc.prom

	mkdir -p "${counters%/*}"
	rpm --root "$top" -i --nodeps --noscripts \
		"$scratch"/one/build/rpm/RPMS/*/smcr-tools-*.rpm > "$log" 2>&1 ||
		status=1
	[ ! -e "$counters" ] || status=1
	echo "smc_active_sockets 0" > "$counters" || status=1
	rpm --root "$top" -e --nodeps --noscripts smcr-tools >> "$log" 2>&1 ||
		status=1
	[ ! -e "$counters" ] || status=1
	result $status "removal of the RPM takes the file of counters" "$log"
}

# -- in the root --------------------------------------------------------------

mount_all() {
	local dir

	mount -t proc proc "$root/proc"
	for dir in sys dev; do
		mount --rbind "/$dir" "$root/$dir"
	done
}

# Puts the packages of each version where apt finds them by name.
publish() {
	local dir

	for dir in "$version" "$next"; do
		mkdir -p "$root/packages/$dir"
		cp "$scratch/$dir"/*.deb "$root/packages/$dir/"
	done
	rm "$root"/packages/*/*-dbgsym_*.deb
	in_root sh -c "cd /packages/$version &&
		dpkg-scanpackages . /dev/null > Packages" 2> /dev/null
	echo "deb [trusted=yes] file:/packages/$version ./" \
		> "$root/etc/apt/sources.list.d/packages.list"
	in_root apt-get -qq update > "$scratch/apt" 2>&1 ||
		bail_out "apt-get update fails in the root" "$scratch/apt"
}

# Lists all files, with their contents unless they are logs.
listing() {
	(
		cd "$root"
		find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o \
			-path ./tmp -o -path ./packages -o -path ./var/log -o \
			-path ./var/lib/apt -o -path ./var/cache/apt \) -prune \
			-o -printf '%p %y %m %U:%G %l\n'
		find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o \
			-path ./tmp -o -path ./packages -o -path ./var/log -o \
			-path ./var/lib/apt -o -path ./var/cache -o \
			-path ./var/lib/dpkg \) -prune -o -type f -print0 |
			xargs -0 sha256sum
	) | sort
}

apt_install() { # PACKAGE-OR-PATTERN...
	in_root env DEBIAN_FRONTEND=noninteractive sh -c "apt-get install -y \
		--no-install-recommends --allow-downgrades $*" \
		> "$scratch/apt" 2>&1
}

# is_installed VERSION: modinfo finds the signed module in the directory of
# DKMS.
is_installed() {
	local module status=0 log=$scratch/modinfo

	: > "$log"
	for module in smc smc_diag; do
		in_root modinfo -k "$release" "$module" >> "$log" 2>&1 || status=1
		in_root modinfo -k "$release" -n "$module" 2> /dev/null |
			grep -q "/$release/updates/dkms/$module.ko" || status=1
		[ "$(in_root modinfo -k "$release" -F version "$module")" = \
			"$1" ] || status=1
		in_root modinfo -k "$release" -F signer "$module" |
			grep -q 'DKMS module signing key' || status=1
	done
	return $status
}

installed() { # VERSION NAME
	local status=0

	apt_install "/packages/$1/*.deb" || status=1
	is_installed "$1" || status=1
	[ "$(in_root smcss --version)" = "smcss $1" ] || status=1
	cat "$scratch/apt" "$scratch/modinfo" > "$scratch/installed"
	result $status "$2" "$scratch/installed"
}

usable() {
	local status=0 log=$scratch/usable tool

	: > "$log"
	for tool in smc_run smcss smcr smc_pnet smc_rnics smc_chk smc_dbg smc_advise \
		smc_ctl; do
		in_root "$tool" --help >> "$log" 2>&1 || status=1
		in_root test -e "/usr/share/man/man8/$tool.8.gz" || status=1
	done
	in_root test -e /usr/share/man/man5/smc.conf.5.gz || status=1
	in_root smcr config check /usr/share/smcr/smc.conf.example \
		>> "$log" 2>&1 || status=1
	in_root smc_run true >> "$log" 2>&1 || status=1
	printf '#include <linux/%s>\n' smc.h smc_diag.h > "$root/tmp/try.h"
	# shellcheck disable=SC2016 # for the shell there
	in_root sh -c 'gcc -Wall -Werror -H $(pkgconf --cflags smcr) \
		-fsyntax-only /tmp/try.h' >> "$log" 2>&1 || status=1
	grep -q '^\. /usr/include/smcr/linux/smc.h' "$log" || status=1
	result $status "tools, manual pages, library and headers are there" "$log"
}

# A service that smc_ctl has enabled, and the file of smc-metrics.timer: without
# the packages the service could not start, and nobody would write the file.
purged() {
	local status=0 log=$scratch/left dropin=etc/systemd/system/nginx.service.d
	local textfiles=var/lib/prometheus/node-exporter

	mkdir -p "$root/$dropin" "$root/$textfiles"
	# shellcheck disable=SC2016 # for the shell there
	in_root sh -c 'eval "$(grep ^mark= /usr/sbin/smc_ctl)"; echo "$mark"' \
		> "$root/$dropin/smc.conf"
	touch "$root/$textfiles/smc.prom"
	# shellcheck disable=SC2086 # words are packages
	in_root apt-get purge -y $names > "$scratch/apt" 2>&1 || status=1
	rmdir -p "$root/$textfiles" 2> /dev/null || true
	# This key belongs to DKMS, which signs all modules that it builds with
	# it.
	diff "$scratch/before" <(listing | grep -v /var/lib/dkms/mok) \
		> "$log" || status=1
	cat "$scratch/apt" >> "$log"
	result $status "purge leaves nothing" "$log"
}

autopkgtest() {
	local status=0 log=$scratch/autopkgtest

	in_root sh -c "cd /tmp && /usr/lib/dkms/dkms-autopkgtest smcr-dkms" \
		> "$log" 2>&1 || status=1
	grep -q "^I: PASS $release" "$log" || status=1
	result $status "autopkgtest-pkg-dkms" "$log"
}

inside() {
	mount_all
	publish
	listing > "$scratch/before"
	installed "$version" "installation: DKMS builds, signs, installs"
	usable
	installed "$next" "upgrade"
	in_root dkms mktarball -m smcr -v "$next" -k "$release" --binaries-only \
		--archive "/packages/smcr-$next.dkms.tar.gz" \
		> /dev/null 2>&1 || true
	installed "$version" "downgrade"
	purged
	autopkgtest
	# Prepares the hosts; the prebuilt modules avoid the compilation.
	apt_install smcr-dkms smcr-tools
	mkdir -p "$root/usr/share/smcr-dkms"
	mv "$root/packages/smcr-$next.dkms.tar.gz" "$root/usr/share/smcr-dkms/"
	echo "$ktap_count $ktap_failed" > "$scratch/count"
}

# -- on hosts -----------------------------------------------------------------

on() { # HOST SCRIPT; "host" in it is packages_host.sh
	"$tree/scripts/lab" exec --name "$lab" --timeout 400 "$1" -- \
		bash -euc "host() { $here/packages_host.sh \"\$@\"; }; $2"
}

# holds NAME HOST SCRIPT: the script succeeds on the host
holds() {
	local status=0 log=$scratch/holds

	on "$2" "$3" > "$log" 2>&1 || status=1
	result $status "$1" "$log"
}

# "! COMMAND" would not end a script that runs with "set -e".
refused='refused() { "$@" > /run/refused 2>&1 && exit 1; cat /run/refused; }'

# The commands of the README, for a service that systemd has started.
service() {
	holds "no smc is loaded at the start" a "
		systemctl is-system-running --wait || systemctl --failed
		systemctl is-active nginx
		[ ! -d /sys/module/smc ]"
	holds "smc_ctl enable nginx, and a restart of nginx" a "
		smc_ctl enable nginx
		systemctl restart nginx
		smc_ctl show nginx
		host version $version"
	holds "one curl" b "
		smc_run curl -sS --max-time 60 http://$address/ | grep -i nginx"
	holds "was SMC-R" a "smcr linkgroup; smcr -j linkgroup | grep -w SERV"
	holds "smc_ctl disable nginx, and a restart: TCP" a "
		smc_ctl disable nginx
		systemctl restart nginx
		[ ! -e /etc/systemd/system/nginx.service.d/smc.conf ]
		pid=\$(systemctl show -P MainPID nginx)
		[ \$(grep -c libsmc-preload /proc/\$pid/maps) = 0 ]
		systemctl stop nginx; host unload"
}

units() {
	local rmem=/proc/sys/net/smc/rmem dir=/var/lib/prometheus/node-exporter

	holds "smc-conf.service loads smc and applies /etc/smc.conf" b "
		echo 'sysctl net.smc.rmem = 131072' > /etc/smc.conf
		systemctl enable --now smc-conf
		[ \$(cat $rmem) = 131072 ]"
	holds "a broken /etc/smc.conf: nothing changes, the line is named" b "
		$refused
		printf 'sysctl net.smc.rmem = %s\\n' 262144 many > /etc/smc.conf
		refused systemctl reload smc-conf
		systemctl status smc-conf | tee /run/status
		grep '/etc/smc.conf:2' /run/status
		[ \$(cat $rmem) = 131072 ]"
	holds "it is mended" b "
		sed -i 2d /etc/smc.conf
		systemctl reload smc-conf
		[ \$(cat $rmem) = 262144 ]"
	holds "smc-metrics.timer writes the counters" b "
		mkdir -p $dir
		systemctl start smc-metrics.timer
		for i in \$(seq 100); do
			[ ! -e $dir/smc.prom ] || break
			sleep 0.2
		done
		grep -c '^smc_' $dir/smc.prom"
	holds "smc leaves with its units" b "
		rm /etc/smc.conf
		systemctl disable --now smc-conf smc-metrics.timer
		host unload"
}

first_use() {
	holds "the first socket of an unmodified server loads the module" a \
		"host serve; host version $version"
	holds "an unmodified client, without rights, gets what was served" b \
		"host fetch $address > /run/sum; host version $version"
	result "$([ "$(on b 'cat /run/sum')" = "$(on a 'sha256sum < /srv/file')" ]
		echo $?)" "both hosts have the same bytes"
	holds "a connection is open" b "host open $address"
	holds "it is SMC-R" a 'smcss; smcss | grep -w SMCR'
}

upgrade_in_use() {
	holds "upgrade with a socket open tells what is loaded" a "
		dpkg -i /packages/$next/smcr-{dkms,tools}_*.deb 2>&1 |
			tee /run/dpkg
		grep '^smc: version $next is on disk, loaded is version $version' \
			/run/dpkg
		grep 'modprobe -r smc_diag smc && modprobe smc' /run/dpkg"
	holds "the old module stays" a "$refused
		refused modprobe -r smc_diag smc
		host version $version; smcss | grep -w SMCR"
	holds "the connection lives on to its end" b 'host close'
	holds "then the old one goes and the new one comes" a "
		host stop; host unload; host serve; host version $next"
	holds "version $version on the other host connects to it" b \
		"host version $version; host open $address"
	holds "by SMC-R" a 'smcss; smcss | grep -w SMCR'
	holds "and to the end" b 'host close'
}

# Enables lines of the file, as an administrator does.
choice() {
	holds "autoload off: programs run on TCP and load nothing" b "
		host unload
		sed -i 's/^#alias/alias/' /etc/modprobe.d/smcr-dkms.conf
		[ \"\$(grep -c ^alias /etc/modprobe.d/smcr-dkms.conf)\" = 6 ]
		python3 -c 'import socket
socket.socket(socket.AF_INET, socket.SOCK_STREAM, 256)' || true
		host fetch $address > /run/sum2; cmp /run/sum /run/sum2
		smcss || true
		smcr info || true
		smc_pnet || true
		[ ! -d /sys/module/smc ]"
	holds "root loads it all the same" b \
		"modprobe smc; host version $version"
}

purge_in_use() {
	holds "a connection is open again" b "host open $address"
	holds "purge with a socket open tells that the module stays" b "
		dpkg --purge $names 2>&1 | tee /run/dpkg
		grep '^smc: version $version stays loaded' /run/dpkg
		host version $version"
	holds "the connection lives on without the packages" b 'host close'
	holds "then the kernel's own module is back" b "
		host unload; modprobe smc; host version stock"
}

signatures() {
	holds "a kernel that insists refuses a key that it does not know" a "
		$refused
		host stop; host unload
		modinfo -F signer smc
		echo 1 > /sys/module/module/parameters/sig_enforce
		refused modprobe smc
		dmesg | tail -n 3
		grep 'Key was rejected by service' /run/refused"
	holds "and a module without signature" a "$refused
		file=\$(modinfo -n smc)
		case \$file in
		*.xz) xz -dc \$file > /run/smc.ko ;;
		*)    cp \$file /run/smc.ko ;;
		esac
		strip -g /run/smc.ko
		[ -z \"\$(modinfo -F signer /run/smc.ko)\" ]
		refused insmod /run/smc.ko
		dmesg | tail -n 3
		grep 'Key was rejected by service' /run/refused"
	holds "programs then run on TCP" a 'host serve; [ ! -d /sys/module/smc ]'
	holds "and are reached" b \
		"curl -sS --max-time 60 http://$address/file | sha256sum | cmp - /run/sum"
}

boot() {
	local host log=$scratch/lab

	"$tree/scripts/lab" up --name "$lab" --owner $$ --kernel 6.12 \
		--a none --b none --a-root "$root" --b-root "$root" --systemd \
		> "$log" 2>&1 || bail_out "the hosts do not start" "$log"
	service
	units
	first_use
	upgrade_in_use
	choice
	purge_in_use
	signatures
	for host in a b; do
		result "$("$tree/scripts/lab" dmesg-check --name "$lab" "$host" \
			> "$log" 2>&1; echo $?)" \
			"no kernel report on host $host" "$log"
	done
}

# -- the start ----------------------------------------------------------------

if [ "${1:-}" = --inside ]; then
	scratch=$2 root=$2/root
	read -r ktap_count ktap_failed version next release < "$scratch/count"
	inside
	exit
fi
with_hosts=y
[ "${1:-}" != --no-boot ] || with_hosts=''
[ "$(id -u)" = 0 ] || bail_out "only root can make a chroot"
scratch=$(mktemp -d /var/tmp/packages.XXXXXX)
chmod 755 "$scratch"
root=$scratch/root
lab=packages-$$
child=''
clean_up() {
	[ -z "$child" ] || kill -KILL "$child" 2> /dev/null || true
	wait
	"$tree/scripts/lab" down --name "$lab" > /dev/null 2>&1 || true
	rm -rf --one-file-system "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

ktap_start
"$tree/scripts/prepare" deb rpm packages 2> "$scratch/log" ||
	bail_out "packages are missing" "$scratch/log"
version=$("$tree/packaging/version")
next=$version.1
epoch=$("$tree/packaging/version" date)
release=$("$tree/scripts/kernel/newest" 6.12)
reproducible
lintian_clean
rpm_clean
rpm_removes_counters
copy_as "$scratch/next" "$next"
build deb "$scratch/next" "$scratch/build" ||
	bail_out "make deb fails with another version" "$scratch/build"
mv "$scratch/one/build/deb" "$scratch/$version"
mv "$scratch/next/build/deb" "$scratch/$next"

make_root "$root" "$scratch/log" \
	"$needed,linux-image-$release,linux-headers-$release" ||
	bail_out "mmdebstrap fails" "$scratch/log"
echo "$ktap_count $ktap_failed $version $next $release" > "$scratch/count"
# No mount and no process remains, in whatever way the script ends.
setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child \
	--mount-proc "$0" --inside "$scratch" &
child=$!
wait "$child" || bail_out "the part in the root falls over"
child=''
read -r ktap_count ktap_failed < "$scratch/count"
[ -z "$with_hosts" ] || boot
ktap_finish
