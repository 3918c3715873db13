#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Collects what a bug report needs.
#
# shellcheck disable=SC2317 # the functions of parts are called by name

version=@VERSION@
missing=0
lines=500	# lines of the kernel log

usage() {
	echo "usage: smc_dbg [-t|-j] [-o FILE]"
}

help() {
	cat <<-END
	$(usage)

	Collects what a bug report about SMC needs into one file: kernel, modules,
	devices, link groups, connections, counters, settings, and the lines of the
	kernel log that name SMC. The file has addresses and names of hosts, and no
	data of connections, no keys and no command lines. Look at it before you
	publish it. What cannot be read is listed at the end. Nothing is changed, and
	no module is loaded.

	  -t, --tgz          a tar.gz with a file for each part, not one text
	  -j, --json         JSON with a member for each part, not one text
	  -o, --output FILE  name of the file; - is standard output
	  -v, --version      show the version of this program
	  -h, --help         show this
	END
}

die() {
	echo "smc_dbg: $1" >&2
	exit "${2:-1}"
}

wrong() {
	echo "smc_dbg: $1" >&2
	usage >&2
	exit 2
}

# In a build tree the tools are in the directories beside this one.
find_tools() {
	here=$(dirname "$(readlink -f "$0")")
	for tool in smcr smcss smc_pnet smc_rnics; do
		[ ! -x "$here/../$tool/$tool" ] || PATH=$here/../$tool:$PATH
	done
	PATH=$here:$PATH:/usr/local/sbin:/usr/sbin:/sbin
	export PATH
}

# A request of smcr would load the module.
module_loaded() {
	grep -qs '^SMC ' /proc/net/protocols
}

# part NAME COMMAND...: writes the output of a command to a file of this name
part() {
	name=$1
	shift
	if timeout 20 "$@" > "$dir/$name" 2> "$scratch/err" < /dev/null; then
		[ -s "$dir/$name" ] || echo "(nothing)" > "$dir/$name"
		return
	fi
	missing=$((missing + 1))
	why=$(head -n 1 "$scratch/err")
	echo "$name: ${why:-$1: no output}" >> "$dir/not-read"
	# what is there of a text may help, but JSON is of no use
	case $name in
	*.json) rm -f "$dir/$name" ;;
	*) [ -s "$dir/$name" ] || rm -f "$dir/$name" ;;
	esac
}

# without NAME WHY: notes why this part does not exist here
without() {
	missing=$((missing + 1))
	echo "$1: $2" >> "$dir/not-read"
}

# own NAME FUNCTION...: writes the output of a function of this script to a file
# of this name
own() {
	name=$1
	shift
	if "$@" > "$dir/$name" 2> "$scratch/err" < /dev/null; then
		[ -s "$dir/$name" ] || echo "(nothing)" > "$dir/$name"
		return
	fi
	without "$name" "$(head -n 1 "$scratch/err")"
	[ -s "$dir/$name" ] || rm -f "$dir/$name"
}

# values FILE...: prints the content of small files, each with its name
values() {
	for file in "$@"; do
		[ -f "$file" ] || continue
		if value=$(cat "$file" 2> "$scratch/value"); then
			printf '%s = %s\n' "$file" "$(printf %s "$value" | tr '\n\t' '  ')"
		else
			printf '%s: %s\n' "$file" "$(head -n 1 "$scratch/value")"
		fi
	done
}

module_list() {
	grep -E '^(smc|ib_|rdma|iw_|mlx|rxe|siw|bnxt_re|irdma|qedr|hns|efa|erdma)' \
		/proc/modules | sed 's/ 0x[0-9a-f]*//'
	for module in smc smc_diag; do
		modinfo "$module" 2>&1 | grep -vE '^(sig|signature|[[:space:]])'
	done
}

devices() {
	for port in /sys/class/infiniband/*/ports/*; do
		[ -d "$port" ] || { echo "no RDMA device"; return; }
		values "$port/state" "$port/phys_state" "$port/link_layer" \
			"$port/rate" "$port"/gid_attrs/ndevs/[0-3] \
			"$port"/gid_attrs/types/[0-3] "$port"/gids/[0-3] \
			"$port"/counters/* "$port"/hw_counters/* 2> /dev/null
	done | grep -v ': .*Invalid argument'
}

kernel_log() {
	dmesg > "$scratch/dmesg" || return 1
	grep -i smc "$scratch/dmesg" | tail -n "$lines"
}

kernel_config() {
	grep -hsE '^CONFIG_(SMC|INFINIBAND|MLX|RDMA)[A-Z_0-9]*=' \
		"/boot/config-$(uname -r)" || { echo "no /boot/config" >&2; return 1; }
}

release() {
	grep -hsE '^(PRETTY_NAME|VERSION_ID)=' /etc/os-release
	uname -srvm
	date -u
	echo "smc_dbg $version"
}

# smcss would load the module smc_diag.
sockets() {
	if grep -qs . /sys/module/smc_diag/refcnt; then
		part smcss.json smcss --all --details --lgr --json
	else
		without smcss.json "the module is not loaded: modprobe smc_diag"
	fi
}

views() {
	for view in info device linkgroup link ueid seid limit counters; do
		part "smcr-$view.json" smcr -j "$view"
	done
	# since the module was loaded, not since the last "smcr stats reset"
	part smcr-stats.json smcr -j -a stats
	sockets
	part smc_pnet smc_pnet
	part smc_rnics smc_rnics
	part smc_echo cat /proc/net/smc_echo
	part smc_bulk cat /proc/net/smc_bulk
	part smc_dead_paths cat /proc/net/smc_dead_paths
}

collect() {
	own system release
	own kernel-config kernel_config
	own modules module_list
	own devices devices
	part interfaces ip -d link
	part addresses ip -br addr
	part routes ip route show table all
	part memory cat /proc/meminfo
	own sysctl values /proc/sys/net/smc/* \
		/proc/sys/net/ipv4/tcp_syncookies /proc/sys/net/core/somaxconn \
		/proc/sys/net/ipv4/tcp_[rw]mem
	own log kernel_log
	if module_loaded; then
		views
	else
		without "views of smcr and smcss" "the SMC module is not loaded"
	fi
}

text() {
	for file in "$dir"/*; do
		[ "${file##*/}" != not-read ] || continue
		printf '==== %s\n' "${file##*/}"
		cat "$file"
		echo
	done
	echo "==== not read"
	cat "$dir/not-read" 2> /dev/null || echo "(nothing)"
}

# Prints a file as a string of JSON. The kernel log may have any byte.
json_text() { # FILE
	printf '"'
	LC_ALL=C tr -c '\11\12\40-\176' '?' < "$1" |
		sed -e 's/[\\"]/\\&/g' -e 's/\t/\\t/g' |
		awk '{ printf "%s%s", gap, $0; gap = "\\n" }'
	printf '"'
}

# Parts that the tools print as JSON are members as they are.
json() {
	gap='{'
	for file in "$dir"/*; do
		name=${file##*/}
		[ "$name" != not-read ] || continue
		printf '%s\n"%s": ' "$gap" "$name"
		case $name in
		*.json) cat "$file" ;;
		*) json_text "$file" ;;
		esac
		gap=','
	done
	printf ',\n"not_read": '
	[ -e "$dir/not-read" ] || : > "$dir/not-read"
	json_text "$dir/not-read"
	printf '\n}\n'
}

# A file that was there may be readable for others, or a link, and so a new one takes
# its place. A device or a pipe is written to if the user has named it; others can
# guess the name that smc_dbg chooses.
write_output() {
	if [ -n "$named" ] && [ -e "$output" ] && ! [ -f "$output" ]; then
		cat "$scratch/out" > "$output"
		return
	fi
	new=$(mktemp "$output.XXXXXX") || return
	if cat "$scratch/out" > "$new" && mv -fT "$new" "$output"; then
		return
	fi
	rm -f "$new"
	return 1
}

form=text
output=''
while [ $# -gt 0 ]; do
	case $1 in
	-t|--tgz) form=tar.gz; shift ;;
	-j|--json) form=json; shift ;;
	-o|--output)
		[ -n "${2:-}" ] || wrong "option $1 needs a name"
		output=$2
		shift 2
		;;
	-v|--version)
		echo "smc_dbg $version" 2> /dev/null || die "cannot write"
		exit 0
		;;
	-h|--help) help 2> /dev/null || die "cannot write"; exit 0 ;;
	*) wrong "unexpected argument '$1'" ;;
	esac
done

find_tools
scratch=$(mktemp -d "${TMPDIR:-/tmp}/smc_dbg.XXXXXX") || die "no directory for scratch"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
base=smc_dbg-$(uname -n)-$(date -u +%Y%m%d-%H%M%S)
dir=$scratch/$base
mkdir "$dir" || exit 1
named=$output
[ -n "$output" ] || output=$base.$form
[ "$output" != "$base.text" ] || output=$base.txt
umask 077	# the report contains addresses

collect
case $form in
tar.gz) tar -C "$scratch" -czf "$scratch/out" "$base" || die "tar fails" ;;
json) json > "$scratch/out" ;;
*) text > "$scratch/out" ;;
esac
if [ "$output" = - ]; then
	cat "$scratch/out" 2> /dev/null || die "cannot write the report"
	exit 0
fi
write_output 2> "$scratch/err" ||
	die "cannot write $output: $(sed 's/.*: //; q' "$scratch/err")"
echo "$output"
[ "$missing" -eq 0 ] || sed 's/^/not read: /' "$dir/not-read" >&2
exit 0
