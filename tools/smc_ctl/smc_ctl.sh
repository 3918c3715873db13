#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Starts services of systemd with the library of smc_run, or no longer.
#
# The drop-in sets LD_PRELOAD, and leaves ExecStart= alone. So a service with
# several commands, or with another one after an upgrade, needs nothing else, and
# SELinux sees the programs that its policy names.

libdir=@LIBDIR@
lib=libsmc-preload.so
version=@VERSION@
mark="# Written by smc_ctl. \"smc_ctl disable\" removes this file."
root=''
json=''
aside=''	# the drop-in of before, while a new one is made

usage() {
	echo "usage: smc_ctl [--root DIR] enable|disable|show [--json] UNIT..."
	echo "       smc_ctl [--root DIR] disable --all"
}

help() {
	cat <<-END
	$(usage)

	Starts services of systemd with the library of smc_run, so that their TCP
	sockets become SMC sockets.

	  enable UNIT    write a drop-in that starts UNIT with the library
	  disable UNIT   remove the drop-in
	  disable --all  remove the drop-ins of all services
	  show UNIT      is there a drop-in, and which processes have the library

	UNIT is a service; NAME@ and NAME@.service are all instances of a template.
	The change takes effect when the service is restarted.

	  -j, --json      show as JSON
	  -r, --root DIR  use the files below DIR: drop-ins, library, /proc
	  -v, --version   show the version of this program
	  -h, --help      show this
	END
}

die() {
	echo "smc_ctl: $1" >&2
	exit 1
}

wrong() {
	echo "smc_ctl: $1" >&2
	usage >&2
	exit 2
}

note() {
	echo "smc_ctl: $unit: $1" >&2
}

# ---- systemd ----

needs_systemd() {
	if ! [ -d "$root/run/systemd/system" ] ||
	   ! command -v systemctl > /dev/null; then
		die "this system does not run systemd"
	fi
}

# property NAME: prints a property of the unit. A template has none, but an
# instance that does not exist has those of its template.
property() {
	systemctl show --property "$1" --value -- "$loaded" 2> /dev/null
}

reload() {
	systemctl daemon-reload > /dev/null 2>&1 ||
		die "systemd cannot reload: systemctl daemon-reload"
}

# unit_named WORD: sets unit, loaded and dropin
unit_named() {
	unit=$1
	case $unit in
	*.service) ;;
	*.socket|*.timer|*.target|*.mount|*.automount|*.swap|*.path|*.slice|*.scope|\
	*.device)
		die "$unit is not a service" ;;
	*) unit=$unit.service ;;
	esac
	case $unit in
	.*|-*|@*|*[!A-Za-z0-9:_.\\@-]*) die "'$1' is not the name of a unit" ;;
	esac
	[ ${#unit} -le 255 ] || die "the name of the unit is too long"
	loaded=$unit
	case $unit in
	*@.service) loaded=${unit%.service}smc_ctl.service ;;
	esac
	dropin=$root/etc/systemd/system/$unit.d/smc.conf
	state=$(property LoadState)
	case $state in
	loaded) ;;
	?*)	# our file may outlast its unit
		[ "$command" = enable ] || ! is_ours || return 0 ;;
	esac
	case $state in
	loaded) ;;
	masked) die "$unit is masked" ;;
	not-found) die "systemd knows no $unit" ;;
	'') die "systemd does not answer: $(systemctl show --property LoadState \
		-- "$loaded" 2>&1 > /dev/null | head -n 1)" ;;
	*) die "systemd cannot load $unit: systemctl status $unit" ;;
	esac
	# $unit may be an alias. The Id of an instance of a template is useless.
	[ "$loaded" != "$unit" ] || unit=$(property Id)
	dropin=$root/etc/systemd/system/$unit.d/smc.conf
}

is_ours() {
	[ "$(head -n 1 "$dropin" 2> /dev/null)" = "$mark" ]
}

refuse_foreign() {
	if [ -e "$dropin" ] || [ -h "$dropin" ]; then
		is_ours || die "$dropin was not written by smc_ctl"
	fi
}

# ---- enable ----

# In a build tree the library is in the directory of smc_run.
find_library() {
	here=$(dirname "$(readlink -f "$0")")
	for path in "$here/../smc_run/$lib" "$root$libdir/$lib"; do
		[ -r "$path" ] || continue
		path=$(readlink -f "$path")
		echo "${path#"$root"}"
		return
	done
	return 1
}

# Other libraries that the unit loads before its program, without ours. The
# loader splits the variable at blanks and colons, and systemd quotes a value
# with blanks.
others() {
	property Environment | awk -v ours="/$lib" '
	{
		if (match($0, /(^| )"?LD_PRELOAD=/) == 0)
			exit
		rest = substr($0, RSTART + RLENGTH)
		if (substr($0, RSTART, RLENGTH) ~ /"/)
			sub(/".*/, "", rest)
		else
			sub(/ .*/, "", rest)
		n = split(rest, word, /[: ]+/)
		for (i = 1; i <= n; i++)
			if (word[i] != "" &&
			    substr(word[i], length(word[i]) - length(ours) + 1) != ours)
				out = out ":" word[i]
		print out
	}'
}

# A file of variables has the last word.
check_environment() {
	case " $(property UnsetEnvironment) " in
	*" LD_PRELOAD "*|*" LD_PRELOAD="*)
		die "$unit removes LD_PRELOAD (UnsetEnvironment=)" ;;
	esac
	property EnvironmentFiles | sed 's/ (ignore_errors=[a-z]*)$//' |
	while IFS= read -r file; do
		[ -n "$file" ] || continue
		! grep -qs '^[[:space:]]*LD_PRELOAD[[:space:]]*=' "$root$file" ||
			echo "$file"
	done > "$scratch/file"
	[ ! -s "$scratch/file" ] ||
		die "$unit takes LD_PRELOAD from $(head -n 1 "$scratch/file"); add $library there"
}

# Lines that allow what the unit forbids otherwise. Without a list of the unit
# itself, such a line would forbid everything else.
allowances() {
	families=$(property RestrictAddressFamilies)
	case " $families " in
	"  "|" none ") ;;
	*" AF_SMC "*|*"~AF_SMC "*)
		case $families in
		"~"*) die "$unit forbids AF_SMC (RestrictAddressFamilies=)" ;;
		esac
		;;
	" ~"*) ;;
	*) echo "RestrictAddressFamilies=AF_SMC" ;;
	esac
	[ -z "$(property NoExecPaths)" ] || echo "ExecPaths=-$library"
}

# Prints remarks about settings that may be intended.
remarks() {
	for name in RootDirectory RootImage; do
		[ -z "$(property $name)" ] ||
			note "it has a root directory of its own, which must have $library"
	done
	case $(property TriggeredBy) in
	*.socket*)
		note "a socket unit listens for it, and that socket stays on TCP" ;;
	esac
	for program in $(property ExecStart | sed -n 's/^{ path=\([^ ;]*\) .*/\1/p'); do
		! grep -aqs 'Go buildinf:' "$root$program" ||
			note "$program is a Go program, which issues system calls itself and stays on TCP"
	done
}

write_dropin() {
	# systemd expands "%" in a value
	value=$(printf '%s' "$library$(others)" | sed 's/%/%%/g')
	mkdir -p "${dropin%/*}" &&
		{ printf '%s\n' "$mark" "[Service]" \
			"Environment=\"LD_PRELOAD=$value\"" &&
		  cat "$scratch/allow"; } > "$dropin.new" &&
		chmod 644 "$dropin.new" && mv -f "$dropin.new" "$dropin"
}

enable() {
	library=$(find_library) ||
		die "$lib not found in $libdir"
	case $library in
	*[[:space:]:\"\\]*) die "the loader cannot take a library from '$library'" ;;
	esac
	refuse_foreign
	check_environment
	# otherwise the lists of the unit would have what an older drop-in added
	if is_ours; then
		aside=$dropin.old
		mv -f "$dropin" "$aside" || die "cannot move $dropin"
		reload
	fi
	allowances > "$scratch/allow"
	write_dropin 2> "$scratch/err" ||
		die "cannot write $dropin: $(sed 's/.*: //; q' "$scratch/err")"
	[ -z "$aside" ] || rm -f "$aside"
	aside=''
	reload
	remarks
	echo "$unit: enabled; it takes effect with: systemctl restart $unit"
}

# put_back: if there is no new drop-in, the one from before has its place again
put_back() {
	[ -n "$aside" ] && [ -e "$aside" ] || return
	if [ -e "$dropin" ]; then
		rm -f "$aside"
		return
	fi
	mv -f "$aside" "$dropin"
	systemctl daemon-reload > /dev/null 2>&1
}

# ---- disable ----

# Tells what it has removed; the caller lets systemd reload.
remove_dropin() {
	rm -f "$dropin" || die "cannot remove $dropin"
	rmdir "${dropin%/*}" 2> /dev/null	# if nothing else is in it
	case ${state:-loaded} in
	loaded) echo "$unit: disabled; it takes effect with: systemctl restart $unit" ;;
	*) echo "$unit: disabled" ;;
	esac
}

disable() {
	refuse_foreign
	if ! is_ours; then
		echo "$unit: is not enabled"
		return
	fi
	remove_dropin
	reload
}

# Needs no systemd: a package may be removed from an image.
disable_all() {
	some=''
	for dropin in "$root"/etc/systemd/system/*.service.d/smc.conf; do
		is_ours || continue
		unit=${dropin%/smc.conf}
		unit=${unit##*/}
		unit=${unit%.d}
		remove_dropin
		some=y
	done
	if [ -n "$some" ] && [ -d "$root/run/systemd/system" ]; then
		reload
	fi
}

# ---- show ----

# Prints the process IDs of a control group and of those below it.
processes() { # GROUP
	[ -n "$1" ] || return
	for top in "$root/sys/fs/cgroup$1" "$root/sys/fs/cgroup/systemd$1"; do
		[ -d "$top" ] || continue
		find "$top" -name cgroup.procs -exec cat {} + 2> /dev/null | sort -n
		return
	done
}

# Does a process have the library? Prints true, false, or null if this user may
# not look.
has_library() { # PID
	if ! [ -r "$root/proc/$1/maps" ] ||
	   ! cat "$root/proc/$1/maps" > "$scratch/maps" 2> /dev/null; then
		echo null
	elif grep -q "/$lib" "$scratch/maps"; then
		echo true
	else
		echo false
	fi
}

# A program chooses the name of its process, from any bytes.
process_name() { # PID
	LC_ALL=C tr -c '\40-\176\n' '?' 2> /dev/null < "$root/proc/$1/comm" |
		paste -s -d '?' -
}

# Prints a line of fields for each process: its ID, result of has_library, name.
list_processes() { # INSTANCE
	group=$(systemctl show --property ControlGroup --value -- "$1" 2> /dev/null)
	for pid in $(processes "$group"); do
		[ -d "$root/proc/$pid" ] || continue
		printf '%s %s %s\n' "$pid" "$(has_library "$pid")" \
			"$(process_name "$pid")"
	done
}

show_processes() { # INSTANCE
	list_processes "$1" | while read -r pid has name; do
		case $has in
		true) has="has the library" ;;
		false) has="does not have the library" ;;
		*) has="may not be looked at by this user" ;;
		esac
		printf '  %7s %-15s %s\n' "$pid" "$name" "$has"
	done
}

# Prints the instances of the unit that run, or the unit itself.
instances() {
	case $unit in
	*@.service)
		systemctl list-units --plain --no-legend --full \
			"${unit%.service}*.service" 2> /dev/null | sed 's/ .*//'
		;;
	*) echo "$unit" ;;
	esac
}

# Prints a string of JSON; the name of a process may have any byte.
quoted() {
	printf '"%s"' "$(printf '%s' "$1" | LC_ALL=C tr -c '\40-\176' '?' |
		sed 's/[\\"]/\\&/g')"
}

show_json() {
	enabled=false file=null
	! is_ours || enabled=true
	! [ -e "$dropin" ] || file=$(quoted "$dropin")
	printf '%s{"unit": %s, "enabled": %s, "dropin": %s, "processes": [' \
		"$gap" "$(quoted "$unit")" "$enabled" "$file"
	instances | while read -r instance; do
		list_processes "$instance" | while read -r pid has name; do
			printf '{"pid": %s, "unit": %s, "name": %s, "library": %s}\n' \
				"$pid" "$(quoted "$instance")" "$(quoted "$name")" "$has"
		done
	done | paste -s -d , | tr -d '\n'
	printf ']}'
	gap=",
  "
}

show() {
	if [ -n "$json" ]; then
		show_json
		return
	fi
	if is_ours; then
		echo "$unit: enabled by $dropin"
	elif [ -e "$dropin" ]; then
		echo "$unit: not enabled; $dropin was not written by smc_ctl"
	else
		echo "$unit: not enabled"
	fi
	case $unit in
	*@.service)
		instances | while read -r instance; do
			echo " $instance"
			show_processes "$instance"
		done
		;;
	*) show_processes "$unit" ;;
	esac
}

while [ $# -gt 0 ]; do
	case $1 in
	-r|--root)
		[ -n "${2:-}" ] || wrong "option $1 needs a directory"
		[ -d "$2" ] || die "$2 is not a directory"
		root=$(readlink -f -- "$2")
		[ "$root" != / ] || root=''
		shift 2
		;;
	-j|--json) json=y; shift ;;
	-v|--version)
		echo "smc_ctl $version" 2> /dev/null || die "cannot write"
		exit 0
		;;
	-h|--help) help 2> /dev/null || die "cannot write"; exit 0 ;;
	-*) wrong "unexpected argument '$1'" ;;
	*) break ;;
	esac
done

case ${1:-} in
enable|disable|show) command=$1 ;;
'') wrong "an argument is missing" ;;
*) wrong "unexpected argument '$1'" ;;
esac
shift
case ${1:-} in
-j|--json) json=y; shift ;;
esac
[ -z "$json" ] || [ "$command" = show ] || wrong "option --json is for show"
[ $# -gt 0 ] || wrong "the unit is missing"
if [ "$command $1" = "disable --all" ]; then
	[ $# = 1 ] || wrong "unexpected argument '$2'"
	disable_all
	exit
fi

needs_systemd
scratch=$(mktemp -d "${TMPDIR:-/tmp}/smc_ctl.XXXXXX") || die "no directory for scratch"
trap 'put_back; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
# Writes what a command has printed; the shell's own message would be another one
# for each line.
pass_on() {
	cat "$scratch/said" 2> /dev/null || die "cannot write"
}

gap="[
  "
# Check all units first, so that the output is valid JSON or empty.
[ -z "$json" ] || for word; do
	unit_named "$word"
done
for word; do
	unit_named "$word"
	"$command" > "$scratch/said"
	pass_on
done
if [ -n "$json" ]; then
	printf '\n]\n' > "$scratch/said"
	pass_on
fi
