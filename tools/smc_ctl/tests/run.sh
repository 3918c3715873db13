#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests smc_ctl with a systemctl that knows the units of a directory, and with a
# root directory of its own.

cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../../testing/selftests/net/smc/ktap.sh || exit 1
ctl=$PWD/../smc_ctl
lib=$(readlink -f ../../smc_run)/libsmc-preload.so
root=$tmp/root
etc=$root/etc/systemd/system
export FAKE_UNITS=$tmp/units TMPDIR=$tmp/scratch
mkdir -p "$TMPDIR" "$tmp/bin" "$root/run/systemd/system" "$root/proc"

cat > "$tmp/bin/systemctl" <<'END'
#!/bin/sh
# A property of a unit is a file: UNIT/PROPERTY.
case $1 in
daemon-reload)
	echo reload >> "$FAKE_UNITS/log"
	[ ! -e "$FAKE_UNITS/refuse" ] || exit 1
	;;
show)
	if [ -e "$FAKE_UNITS/mute" ]; then
		echo "Failed to connect to bus" >&2
		exit 1
	fi
	[ "$2 $4 $5" = "--property --value --" ] || exit 9
	if [ -d "$FAKE_UNITS/$6" ]; then
		cat "$FAKE_UNITS/$6/$3" 2> /dev/null
		exit 0
	elif [ "$3" = LoadState ]; then
		echo not-found
	fi
	;;
list-units) cat "$FAKE_UNITS/list" ;;
*) exit 9 ;;
esac
END
chmod +x "$tmp/bin/systemctl"

# unit NAME [PROPERTY=VALUE]...: the units are this one only
unit() {
	local name=$1 pair
	shift
	rm -rf "$FAKE_UNITS" "$etc"
	mkdir -p "$FAKE_UNITS/$name"
	for pair in "LoadState=loaded" "Id=$name" "$@"; do
		printf '%s\n' "${pair#*=}" > "$FAKE_UNITS/$name/${pair%%=*}"
	done
}

# ctl ARGUMENT...: prints the exit status and what smc_ctl says
ctl() {
	local status
	PATH=$tmp/bin:$PATH timeout 60 "$ctl" --root "$root" "$@" \
		> "$tmp/out" 2> "$tmp/err"
	status=$?
	echo "$status $(cat "$tmp/out" "$tmp/err")"
}

# dropin UNIT: prints the drop-in without its first line
dropin() {
	sed 1d "$etc/$1.d/smc.conf"
}

ktap_start

# ---- enable and disable ----

unit web.service
equal "enable" \
	"0 web.service: enabled; it takes effect with: systemctl restart web.service" \
	"$(ctl enable web)"
equal "the drop-in sets the variable, and nothing else" \
"[Service]
Environment=\"LD_PRELOAD=$lib\"" "$(dropin web.service)"
equal "everybody may read it" 644 "$(stat -c %a "$etc/web.service.d/smc.conf")"
equal "systemd is told" reload "$(cat "$FAKE_UNITS/log")"
cp "$etc/web.service.d/smc.conf" "$tmp/once"
equal "enable again: the same" "0 " "$(ctl enable web.service | cut -c 1-2)$(
	diff "$tmp/once" "$etc/web.service.d/smc.conf")"
equal "disable" \
	"0 web.service: disabled; it takes effect with: systemctl restart web.service" \
	"$(ctl disable web.service)"
equal "nothing is left" "" "$(find "$etc" -mindepth 1)"
equal "disable again" "0 web.service: is not enabled" "$(ctl disable web)"
ctl enable web > /dev/null
touch "$etc/web.service.d/override.conf"
ctl disable web > /dev/null
equal "another drop-in stays" "override.conf" "$(ls "$etc/web.service.d")"
echo "[Service]" > "$etc/web.service.d/smc.conf"
for command in enable disable; do
	equal "$command: a file of somebody else" \
		"1 smc_ctl: $etc/web.service.d/smc.conf was not written by smc_ctl" \
		"$(ctl $command web)"
done
ln -sf /nonexistent "$etc/web.service.d/smc.conf"
equal "enable: a link of somebody else" \
	"1 smc_ctl: $etc/web.service.d/smc.conf was not written by smc_ctl" \
	"$(ctl enable web)"

unit mariadb.service
mkdir "$FAKE_UNITS/mysql.service"
cp "$FAKE_UNITS"/mariadb.service/* "$FAKE_UNITS/mysql.service/"
ctl enable mysql > /dev/null
equal "an alias: the unit itself" "mariadb.service.d" "$(ls "$etc")"
unit db@smc_ctl.service
equal "a template" "0 db@.service: enabled; it takes effect with: systemctl restart db@.service
db@.service.d" "$(ctl enable db@; ls "$etc")"
unit db@main.service
ctl enable db@main > /dev/null
equal "an instance" "db@main.service.d" "$(ls "$etc")"

# ---- what a unit may say ----

unit web.service 'Environment=A=b LD_PRELOAD=/lib/jemalloc.so C=d'
ctl enable web > /dev/null
equal "a library of the unit stays" \
	"Environment=\"LD_PRELOAD=$lib:/lib/jemalloc.so\"" \
	"$(dropin web.service | tail -1)"
unit web.service 'Environment=A=b "LD_PRELOAD=/a.so /old/libsmc-preload.so /b.so" C=d'
ctl enable web > /dev/null
equal "several of them, without ours" \
	"Environment=\"LD_PRELOAD=$lib:/a.so:/b.so\"" \
	"$(dropin web.service | tail -1)"
unit web.service 'Environment=MY_LD_PRELOAD=/x.so'
ctl enable web > /dev/null
equal "another variable" "Environment=\"LD_PRELOAD=$lib\"" \
	"$(dropin web.service | tail -1)"
unit web.service 'RestrictAddressFamilies=AF_INET AF_UNIX' NoExecPaths=/
ctl enable web > /dev/null
equal "a list of families and one of programs" \
"Environment=\"LD_PRELOAD=$lib\"
RestrictAddressFamilies=AF_SMC
ExecPaths=-$lib" "$(dropin web.service | tail -3)"
for families in "" "~" "~AF_NETLINK AF_PACKET" "AF_INET AF_SMC" none; do
	unit web.service "RestrictAddressFamilies=$families"
	ctl enable web > /dev/null
	equal "families '$families': no list" \
		"Environment=\"LD_PRELOAD=$lib\"" \
		"$(dropin web.service | tail -1)"
done
for families in "~AF_SMC" "~AF_NETLINK AF_SMC" "~AF_SMC AF_X"; do
	unit web.service "RestrictAddressFamilies=$families"
	equal "families '$families': AF_SMC is forbidden" \
		"1 smc_ctl: web.service forbids AF_SMC (RestrictAddressFamilies=) " \
		"$(ctl enable web) $(ls "$etc" 2> /dev/null)"
done
unit web.service
ctl enable web > /dev/null
cp "$etc/web.service.d/smc.conf" "$tmp/once"
echo '~AF_SMC' > "$FAKE_UNITS/web.service/RestrictAddressFamilies"
: > "$FAKE_UNITS/log"
equal "enable again, and it fails: the drop-in of before stays" \
	"1 smc_ctl: web.service forbids AF_SMC (RestrictAddressFamilies=) smc.conf" \
	"$(ctl enable web) $(ls "$etc/web.service.d")$(
		diff "$tmp/once" "$etc/web.service.d/smc.conf")"
equal "systemd is told of both" "reload reload" "$(xargs < "$FAKE_UNITS/log")"
rm "$FAKE_UNITS/web.service/RestrictAddressFamilies"
mkdir "$etc/web.service.d/smc.conf.new"
equal "enable again, and it cannot be written: the same" \
	"1 smc_ctl: cannot write $etc/web.service.d/smc.conf smc.conf smc.conf.new" \
	"$(ctl enable web | sed 's/: [^:]*$//') $(cd "$etc/web.service.d" && echo *)$(
		diff "$tmp/once" "$etc/web.service.d/smc.conf")"
rmdir "$etc/web.service.d/smc.conf.new"
touch "$FAKE_UNITS/refuse"
equal "enable again, and systemd cannot reload: the same" \
	"1 smc_ctl: systemd cannot reload: systemctl daemon-reload smc.conf" \
	"$(ctl enable web) $(ls "$etc/web.service.d")$(
		diff "$tmp/once" "$etc/web.service.d/smc.conf")"
rm "$FAKE_UNITS/refuse"
mkdir -p "$root/etc/default"
printf 'A=b\nLD_PRELOAD=/x.so\n' > "$root/etc/default/web"
unit web.service 'EnvironmentFiles=/etc/default/none (ignore_errors=yes)
/etc/default/web (ignore_errors=no)'
equal "a file that sets the variable" \
	"1 smc_ctl: web.service takes LD_PRELOAD from /etc/default/web; add $lib there" \
	"$(ctl enable web)"
printf 'A=b\nMY_LD_PRELOAD=/x.so\n' > "$root/etc/default/web"
equal "a file that does not" "0" "$(ctl enable web | cut -c 1)"
unit web.service 'UnsetEnvironment=A LD_PRELOAD'
equal "a unit that removes the variable" \
	"1 smc_ctl: web.service removes LD_PRELOAD (UnsetEnvironment=)" \
	"$(ctl enable web)"
unit web.service TriggeredBy=web.socket RootDirectory=/srv/web
ctl enable web > /dev/null
equal "remarks" \
"smc_ctl: web.service: it has a root directory of its own, which must have $lib
smc_ctl: web.service: a socket unit listens for it, and that socket stays on TCP" \
	"$(cat "$tmp/err")"

# ---- show ----

unit web.service ControlGroup=/system.slice/web.service
group=$root/sys/fs/cgroup/system.slice/web.service
mkdir -p "$group/below" "$root"/proc/{11,12,13}
printf '11\n13\n' > "$group/cgroup.procs"
printf '12\n99\n' > "$group/below/cgroup.procs"
echo "7f00-7f01 r-xp 00000000 00:00 1 /x/libsmc-preload.so" > "$root/proc/11/maps"
echo "7f00-7f01 r-xp 00000000 00:00 1 /x/libc.so.6" > "$root/proc/12/maps"
echo web > "$root/proc/11/comm"
echo "web worker" > "$root/proc/12/comm"
echo old > "$root/proc/13/comm"
processes="       11 web             has the library
       12 web worker      does not have the library
       13 old             may not be looked at by this user"
equal "show: not enabled" "0 web.service: not enabled
$processes" "$(ctl show web)"
printf 'a\n1 true sshd\033\n' > "$root/proc/13/comm"
equal "show: a process has no part in the form of the list" \
	"       13 a?1 true sshd?  may not be looked at by this user" \
	"$(ctl show web | tail -1)"
echo old > "$root/proc/13/comm"
ctl enable web > /dev/null
equal "show: enabled" \
	"0 web.service: enabled by $etc/web.service.d/smc.conf" \
	"$(ctl show web | head -1)"
echo > "$etc/web.service.d/smc.conf"
equal "show: a file of somebody else" \
	"0 web.service: not enabled; $etc/web.service.d/smc.conf was not written by smc_ctl" \
	"$(ctl show web | head -1)"
unit db@smc_ctl.service
mkdir "$FAKE_UNITS/db@a.service"
echo /system.slice/web.service > "$FAKE_UNITS/db@a.service/ControlGroup"
echo "db@a.service loaded active running A" > "$FAKE_UNITS/list"
equal "show: the instances of a template" "0 db@.service: not enabled
 db@a.service
$processes" "$(ctl show db@)"
unit web.service ControlGroup=
equal "show: a service that does not run" "0 web.service: not enabled" \
	"$(ctl show web)"

# ---- errors ----

unit web.service
equal "a unit that is not there" "1 smc_ctl: systemd knows no webb.service" \
	"$(ctl enable webb)"
equal "the second of two units" "1 smc_ctl: systemd knows no webb.service" \
	"$(ctl show web webb | sed 's/ .*smc_ctl/ smc_ctl/' | tail -1 | sed 's/^smc/1 smc/')"
unit web.service
ctl enable web > /dev/null
rm -rf "$FAKE_UNITS/web.service"
equal "show: a unit that was removed" "0 web.service: enabled by $(
	)$etc/web.service.d/smc.conf" "$(ctl show web)"
equal "enable: a unit that was removed" \
	"1 smc_ctl: systemd knows no web.service" "$(ctl enable web)"
equal "disable: a unit that was removed" "0 web.service: disabled" \
	"$(ctl disable web)"
equal "disable: its file is gone" "" "$(find "$etc" -name smc.conf)"
unit web.service
ctl enable web > /dev/null
echo masked > "$FAKE_UNITS/web.service/LoadState"
equal "disable: a unit that is masked" "0 web.service: disabled" \
	"$(ctl disable web)"
unit web.service LoadState=masked
equal "a unit that is masked" "1 smc_ctl: web.service is masked" \
	"$(ctl enable web)"
unit web.service LoadState=bad-setting
equal "a unit that is broken" \
	"1 smc_ctl: systemd cannot load web.service: systemctl status web.service" \
	"$(ctl enable web)"
unit web.service
for name in ../web 'a b' 'a;b' .web @ a/b '*' ''; do
	equal "no name of a unit: '$name'" \
		"1 smc_ctl: '$name' is not the name of a unit" "$(ctl show "$name")"
done
equal "a long name" "1 smc_ctl: the name of the unit is too long" \
	"$(ctl show "$(printf 'a%.0s' {1..260})")"
for name in web.socket web.timer web.target; do
	equal "no service: $name" "1 smc_ctl: $name is not a service" \
		"$(ctl enable $name)"
done
touch "$FAKE_UNITS/refuse"
equal "systemd cannot reload" \
	"1 smc_ctl: systemd cannot reload: systemctl daemon-reload" \
	"$(ctl enable web)"
rm -rf "$FAKE_UNITS/refuse" "$etc"
touch "$etc"
equal "a place that cannot be written" \
	"1 smc_ctl: cannot write $etc/web.service.d/smc.conf: Not a directory" \
	"$(ctl enable web)"
rm "$etc"
equal "nothing is left in the directory for scratch" "" "$(ls "$TMPDIR")"
rmdir "$root/run/systemd/system"
equal "no systemd" "1 smc_ctl: this system does not run systemd" \
	"$(ctl show web)"
mkdir "$root/run/systemd/system"
for line in "" "bogus" "enable" "--bogus" "--root"; do
	# shellcheck disable=SC2086 # words
	"$ctl" $line > "$tmp/out" 2> "$tmp/err"
	equal "wrong arguments: '$line'" "2 0 1" \
		"$? $(wc -c < "$tmp/out") $(grep -c '^usage: ' "$tmp/err")"
done
equal "no such root directory" "smc_ctl: /nonexistent is not a directory
1" \
	"$("$ctl" --root /nonexistent show a 2>&1; echo "$?")"

# ---- the drop-in in the eyes of systemd ----

if command -v systemd-analyze > /dev/null; then
	unit web.service NoExecPaths=/ 'RestrictAddressFamilies=AF_INET'
	ctl enable web > /dev/null
	printf '[Service]\nType=oneshot\nExecStart=/bin/true\nExecStart=/bin/true\n' \
		> "$etc/web.service"
	equal "systemd finds nothing wrong" "" \
		"$(systemd-analyze verify --man=no "$etc/web.service" 2>&1)"
else
	skip "systemd finds nothing wrong" "this machine has no systemd-analyze"
fi
make -s -C .. install DESTDIR="$tmp/dest" PREFIX=/usr LIBDIR=/usr/lib/x > /dev/null
equal "installed: it names the library's directory" \
	"1 smc_ctl: libsmc-preload.so not found in /usr/lib/x" \
	"$(ctl=$tmp/dest/usr/sbin/smc_ctl; ctl enable web)"

# ---- show --json ----

process() { # PID NAME [LIBRARY]
	mkdir -p "$root/proc/$1"
	printf '%s\n' "$2" > "$root/proc/$1/comm"
	echo "7f00-7f01 r-xp ${3:-/lib/other.so}" > "$root/proc/$1/maps"
}

# shown UNIT...: prints the exit status, and what the JSON says
shown() {
	PATH=$tmp/bin:$PATH timeout 60 ../smc_ctl --root "$root" show --json "$@" \
		> "$tmp/out" 2> "$tmp/err"
	echo "$? $(python3 -c '
import json, sys
for u in json.load(sys.stdin):
    print(u["unit"], u["enabled"], bool(u["dropin"]),
          *[(p["pid"], p["unit"], p["name"], p["library"])
            for p in u["processes"]])' < "$tmp/out")"
}

rm -rf "$root/proc" "$root/sys"
unit web.service ControlGroup=/system.slice/web.service
mkdir -p "$root/proc" "$root/sys/fs/cgroup/system.slice/web.service"
printf '12\n7\n' > "$root/sys/fs/cgroup/system.slice/web.service/cgroup.procs"
process 7 'a "b\c' "$lib"
process 12 web
equal "show --json: processes, and names that need quotes" \
	"0 web.service False False (7, 'web.service', 'a \"b\\\\c', True) (12, 'web.service', 'web', False)" \
	"$(shown web)"
process 7 $'a\n9 x ]"' "$lib"
equal "show --json: a name with a newline" \
	"0 web.service False False (7, 'web.service', 'a?9 x ]\"', True) (12, 'web.service', 'web', False)" \
	"$(shown web)"
ctl enable web > /dev/null
rm -rf "$root/proc"
mkdir "$root/proc"
equal "show --json: enabled, nothing runs; more than one unit" \
	"0 web.service True True
web.service True True" "$(shown web web.service)"
equal "show --json: the second of two units is not there" \
	"1 0 smc_ctl: systemd knows no none.service" \
	"$(ctl show --json web none | cut -c 1) $(wc -c < "$tmp/out") $(
		)$(cat "$tmp/err")"
equal "show --json: no such unit" "1 0 smc_ctl: systemd knows no none.service" \
	"$(ctl show --json none | cut -c 1) $(wc -c < "$tmp/out") $(cat "$tmp/err")"
PATH=$tmp/bin:$PATH ../smc_ctl --root "$root" -j show web > /dev/full 2> "$tmp/err"
equal "show --json: a disk that is full" "1 smc_ctl: cannot write" \
	"$? $(cat "$tmp/err")"
equal "--json is for show only" 2 "$(ctl -j enable web | head -c 1)"

mkdir -p "$root/usr/bin"
echo 'Go buildinf: go1' > "$root/usr/bin/exporter"
unit web.service 'ExecStart={ path=/usr/bin/exporter ; argv[]=/usr/bin/exporter -x ; pid=0 }'
equal "a Go program stays on TCP" 1 \
	"$(ctl enable web | grep -c '^smc_ctl: web.service: /usr/bin/exporter is a Go')"
unit web.service 'ExecStart={ path=/usr/bin/none ; argv[]=/usr/bin/none ; pid=0 }'
equal "no such program" "0 " "$(ctl enable web | cut -c 1-2)"

# ---- all units, and no systemd ----

unit web.service
ctl enable web > /dev/null
mkdir -p "$etc/other.service.d"
echo "[Service]" > "$etc/other.service.d/smc.conf"
mv "$root/run/systemd" "$root/run/off"
equal "disable all, even without systemd" \
	"0 web.service: disabled; it takes effect with: systemctl restart web.service" \
	"$(ctl disable --all)"
mv "$root/run/off" "$root/run/systemd"
equal "a drop-in of somebody else stays" "other.service.d" "$(ls "$etc")"
equal "disable all, nothing is enabled" "0 " "$(ctl disable --all)"
equal "all, and a unit" 2 "$(ctl disable --all web | head -n 1 | cut -c1)"
touch "$FAKE_UNITS/mute"
equal "systemd does not answer" \
	"1 smc_ctl: systemd does not answer: Failed to connect to bus" \
	"$(ctl enable web)"

ktap_finish
