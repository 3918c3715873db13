#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Draws the state machines with dot, as DIRECTORY/fsm-NAME.svg.
#
#	fsm_pictures.sh [--check] FSM_DOC DIRECTORY
#
# Versions of dot draw in different ways. So the last line of a picture is a
# checksum of the graph, and --check compares this line. It needs no dot.

set -u
check=''
if [ "$1" = --check ]; then
	check=y
	shift
fi
doc=$1
dir=$2
wrong=0

for name in $("$doc" --names); do
	picture=$dir/fsm-$name.svg
	sum="<!-- made from the graph $("$doc" "$name" | sha256sum | cut -c 1-64) -->"
	if [ -n "$check" ]; then
		[ "$(tail -n 1 "$picture")" = "$sum" ] || {
			echo "$picture is not that of the table"
			wrong=1
		}
		continue
	fi
	[ "$(tail -n 1 "$picture" 2> /dev/null)" = "$sum" ] && continue
	"$doc" "$name" | dot -Tsvg | sed '/^<!-- Generated/,/-->/d; /^<!-- .* -->$/d' > "$picture" || exit 1
	echo "$sum" >> "$picture"
done
for picture in "$dir"/fsm-*.svg; do
	name=${picture##*/fsm-}
	"$doc" --names | grep -qx "${name%.svg}" || {
		echo "$picture has no table"
		wrong=1
	}
done
exit $wrong
