#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs a program with its TCP sockets turned into SMC sockets.

libdir=@LIBDIR@
lib=libsmc-preload.so
version=@VERSION@

usage() {
	echo "usage: smc_run [-b] [-d] [-r SIZE] [-t SIZE] COMMAND [ARGUMENT]..."
}

help() {
	cat <<-END
	$(usage)

	Runs COMMAND with its TCP sockets turned into SMC sockets. A peer that
	does not speak SMC is reached by TCP, as without smc_run.

	  -b, --bpf          the kernel turns the sockets, also of static programs
	  -r, --rcvbuf SIZE  receive buffer of each SMC socket (sets SMC_RCVBUF)
	  -t, --sndbuf SIZE  send buffer of each SMC socket (sets SMC_SNDBUF)
	  -d, --debug        show what is set before COMMAND starts
	  -v, --version      show the version of this program
	  -h, --help         show this

	SIZE is in bytes; k and m multiply by 1024 and 1048576.
	END
}

die() {
	echo "smc_run: $1" >&2
	exit 125
}

# In a build tree the other files are next to this script; otherwise they are in
# the directory of the installation.
find_file() { # NAME
	here=$(dirname "$(readlink -f "$0")")
	for dir in "$here" "$libdir"; do
		if [ -r "$dir/$1" ]; then
			echo "$dir/$1"
			return
		fi
	done
	return 1
}

# number FILE OFFSET BYTES: prints a number that a program for this machine has
number() {
	od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# names_loader FILE: does a program name the dynamic loader, in a program header
# of type PT_INTERP?
names_loader() {
	if [ "$(number "$1" 4 1)" = 2 ]; then	# 64 bits
		at=$(number "$1" 32 8) size=$(number "$1" 54 2)
		count=$(number "$1" 56 2)
	else
		at=$(number "$1" 28 4) size=$(number "$1" 42 2)
		count=$(number "$1" 44 2)
	fi
	od -A n -v -t u4 -w"$size" -j "$at" -N $((size * count)) "$1" |
		awk '$1 == 3 { found = 1 } END { exit !found }'
}

# The loader ignores the library if the program runs as another user or group.
changes_ids() {
	{ [ -u "$1" ] && [ "$(stat -Lc %u -- "$1")" != "$(id -ru)" ]; } ||
		{ [ -g "$1" ] && [ "$(stat -Lc %g -- "$1")" != "$(id -rg)" ]; }
}

# The loader ignores the library if the program gets rights by its capabilities.
# Root has them already.
has_capabilities() {
	[ "$(id -u)" != 0 ] || return 1
	[ -n "$(PATH=$PATH:/usr/sbin:/sbin getcap "$1" 2> /dev/null)" ]
}

# A program that does not load the library stays on TCP, and says nothing. So
# this script prints a warning.
warn() { # COMMAND
	file=$(command -v -- "$1") || return
	[ -f "$file" ] && [ -r "$file" ] || return
	[ "$(head -c 4 "$file" | tr -d '\177')" = ELF ] || return
	if ! names_loader "$file" 2> /dev/null; then
		why="is a static program"
	elif grep -aq 'Go buildinf:' "$file"; then
		why="is a Go program, which issues system calls itself"
	elif changes_ids "$file"; then
		why="changes its user or group"
	elif has_capabilities "$file"; then
		why="has capabilities"
	else
		return
	fi
	echo "smc_run: $1 $why; its sockets stay on TCP" >&2
}

bpf='' debug='' sized=''
while [ $# -gt 0 ]; do
	case $1 in
	-r|--rcvbuf|-t|--sndbuf)
		[ $# -ge 2 ] || die "option $1 needs a size"
		case $1 in
		-r|--rcvbuf) export SMC_RCVBUF="$2" ;;
		*) export SMC_SNDBUF="$2" ;;
		esac
		sized=y
		shift 2
		;;
	-b|--bpf) bpf=y; shift ;;
	-d|--debug) debug=y; shift ;;
	-v|--version)
		echo "smc_run $version" 2> /dev/null || die "cannot write"
		exit 0
		;;
	-h|--help) help 2> /dev/null || die "cannot write"; exit 0 ;;
	--) shift; break ;;
	-*) usage >&2; die "unknown option $1" ;;
	*) break ;;
	esac
done

if [ $# -eq 0 ]; then
	usage >&2
	exit 125
fi

[ -z "$bpf" ] || [ -z "$sized" ] ||
	die "the kernel sets no buffer sizes: --bpf excludes --rcvbuf and --sndbuf"

path=$(find_file $lib) || die "$lib not found beside this script nor in $libdir"

# The dynamic loader splits LD_PRELOAD at blanks and colons.
case $path in
*[[:space:]:]*) die "the loader cannot take a library from '$path'" ;;
esac

case ":${LD_PRELOAD:-}:" in
*[:\ ]"$path"[:\ ]*) preload=$LD_PRELOAD ;;
*) preload=$path${LD_PRELOAD:+:$LD_PRELOAD} ;;
esac

# This program says why if the kernel cannot do that, and uses the library.
if [ -n "$bpf" ]; then
	helper=$(find_file smc_run_bpf) ||
		die "smc_run_bpf not found beside this script nor in $libdir"
	exec "$helper" "$preload" "$@"
fi
export LD_PRELOAD="$preload"

# the helpers of this script need no library
(unset LD_PRELOAD; warn "$1")
[ -z "$debug" ] || echo "smc_run: LD_PRELOAD=$LD_PRELOAD SMC_RCVBUF=${SMC_RCVBUF:-} SMC_SNDBUF=${SMC_SNDBUF:-}" >&2
exec "$@"
