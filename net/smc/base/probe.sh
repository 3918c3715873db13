#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The Makefile runs this script to find out which interfaces the headers of a
# kernel have.
#
# 	probe.sh OUT DEPFILE COMPILER [FLAG...]
#
# Each probe/NAME.c uses one interface. OUT defines SMC_HAVE_NAME as 1 if the
# file compiles and as 0 if not. DEPFILE lists the headers that the compiler has
# read. OUT.log has its messages. If the kernel is unsuitable, one line gives
# the reason.
#
# One compiler run handles all probes, because reading the headers takes longer
# than compiling the probes. A probe fails if its file has an error. An error in
# another file ends the build, and so does a crash of the compiler.

set -eu
LC_ALL=C
export LC_ALL

out=$1
depfile=$2
shift 2
dir=$(dirname "$0")/probe
log=$out.log
last='end of probes'

die() { # WHY...
	echo "net/smc: $*" | head -n 1 >&2
	exit 1
}

compile() {
	{
		printf '#include "%s"\n' "$dir/needs.h" "$dir"/*.c
		echo "#error $last"
	} | "$@" -Wno-error -Werror=implicit-function-declaration \
		-Werror=incompatible-pointer-types -fmax-errors=0 \
		-Wp,-MMD,"$depfile" -fsyntax-only -xc - >"$log" 2>&1 || true
}

rm -f "$depfile"
compile "$@"

lacks=$(sed -n 's|^.*/needs\.h:[0-9:]* error: \(#error \)*||p' "$log")
[ -z "$lacks" ] || die "$lacks"
other=$(grep ' error: ' "$log" |
	grep -v -e "$last" -e "^$dir/[a-z_0-9]*\.c:[0-9:]* error: ") || true
[ -z "$other" ] || die "the headers of this kernel do not compile: $other"
grep -q "$last" "$log" || die "the compiler does not run: $(tail -n 1 "$log")"

# Some compilers do not write the dependencies if a file has errors.
[ -s "$depfile" ] || echo "probe: $dir/needs.h" >"$depfile"
for file in "$dir"/*.c; do
	have=1
	! grep -q "^$file:[0-9:]* error: " "$log" || have=0
	name=$(basename "$file" .c | tr '[:lower:]' '[:upper:]')
	echo "#define SMC_HAVE_$name $have"
done >"$out.new"
mv "$out.new" "$out"
