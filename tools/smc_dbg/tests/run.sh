#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests smc_dbg on a simulated kernel with SMC, and on the running one.

cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../../testing/selftests/net/smc/ktap.sh || exit 1
dbg=$PWD/../smc_dbg
export TMPDIR=$tmp/scratch
mkdir "$TMPDIR" "$tmp/bin"

# Programs that come first in PATH: files of /proc with SMC, and a log.
cat > "$tmp/bin/grep" <<'END'
#!/bin/sh
case "$*" in
"-qs ^SMC  /proc/net/protocols") exit 0 ;;
"-qs . /sys/module/smc_diag/refcnt") exit "${NO_DIAG:-0}" ;;
esac
exec /bin/grep "$@"
END
cat > "$tmp/bin/dmesg" <<'END'
#!/bin/sh
echo "[1.0] smc: link down"
echo "[2.0] something else: password=hunter2"
END
cat > "$tmp/bin/cat" <<'END'
#!/bin/sh
case "$*" in
/proc/net/smc_*) echo "content of $*" ;;
*) exec /bin/cat "$@" ;;
esac
END
chmod +x "$tmp"/bin/*

# simulated ARGUMENT...: runs smc_dbg with the module and tools of a simulated
# kernel
simulated() {
	(cd "$tmp" && PATH=$tmp/bin:$PATH FAKE_KERNEL=host \
		FAKE_MIB="ClientHandshakes 5" SECRET=hunter2 \
		LD_PRELOAD=$here/../../lib/tests/fake_kernel.so \
		timeout 120 "$dbg" "$@")
}
here=$PWD

ktap_start
simulated -o - > "$tmp/out" 2> "$tmp/err"
equal "a text on standard output" 0 $?
for name in system modules devices sysctl log interfaces smcr-info.json \
	smcr-linkgroup.json smcr-counters.json smcss.json smc_pnet; do
	equal "it has $name" 1 "$(grep -c "^==== $name\$" "$tmp/out")"
done
# smcr shows the counters
sed -n 's/^#define [A-Z_]*_NAME "\(smc_[a-z_]*\)"$/\1/p' \
	../../../net/smc/diag/proc.c | grep -v smc_mib > "$tmp/names"
equal "files of the module are known" 3 "$(wc -l < "$tmp/names")"
while read -r name; do
	equal "it has /proc/net/$name" 1 \
		"$(grep -c "^content of /proc/net/$name\$" "$tmp/out")"
done < "$tmp/names"
equal "the views are those of the module" "1 1" \
	"$(grep -c '"name": "ClientHandshakes", "value": 5' "$tmp/out") $(
	   grep -c '"id": "00000200"' "$tmp/out")"
equal "lines of the log that name SMC, no others" "1 0" \
	"$(grep -c 'smc: link down' "$tmp/out") $(
	   grep -c 'something else' "$tmp/out")"
equal "no environment, no other lines" 0 "$(grep -c hunter2 "$tmp/out")"
NO_DIAG=1 simulated -o - > "$tmp/out" 2> "$tmp/err"
equal "a list of sockets does not load smc_diag" "0 1" \
	"$(grep -c '^==== smcss.json$' "$tmp/out") $(
	   grep -c '^smcss.json: the module is not loaded: modprobe smc_diag$' \
		"$tmp/out")"

name=$(simulated -t 2> "$tmp/err")
equal "an archive with the name that it prints" "0 1" \
	"$? $(find "$tmp" -maxdepth 1 -name "smc_dbg-*.tar.gz" | wc -l)"
equal "only its owner can read it" 600 "$(stat -c %a "$tmp/$name")"
touch "$tmp/old" "$tmp/aim"
chmod 644 "$tmp/old" "$tmp/aim"
ln -s aim "$tmp/link"
for name in old link; do
	simulated -o "$name" > "$tmp/out" 2> "$tmp/err"
	equal "only its owner can read what replaces: $name" \
		"0 $name regular file 600 $name" \
		"$? $(cat "$tmp/out") $(stat -c '%F %a' "$tmp/$name") $(
			cd "$tmp" && echo $name*)"
done
equal "a link is replaced, and not followed" "644 0" "$(stat -c '%a %s' "$tmp/aim")"
simulated -o /dev/null > "$tmp/out" 2> "$tmp/err"
equal "a device stays what it is" "0 character special file" \
	"$? $(stat -c %F /dev/null)"
cat > "$tmp/bin/date" <<'END'
#!/bin/sh
case "$*" in
*%Y%m%d-*) echo 20260101-000000 ;;
*) exec /bin/date "$@" ;;
esac
END
chmod +x "$tmp/bin/date"
name=smc_dbg-$(uname -n)-20260101-000000.txt
mkfifo "$tmp/$name"
equal "a pipe that has the name is replaced" "$name regular file 600" \
	"$(simulated 2> "$tmp/err") $(stat -c '%F %a' "$tmp/$name")"
rm "$tmp/bin/date" "$tmp/$name"
simulated -o bin > "$tmp/out" 2> "$tmp/err"
equal "a directory is no file" "1 smc_dbg: cannot write bin: Is a directory" \
	"$? $(tail -1 "$tmp/err")"
name=$(simulated -t 2> "$tmp/err")
tar -C "$tmp" -xzf "$tmp/$name"
equal "its views are JSON" "" "$(for file in "$tmp/${name%.tar.gz}"/*.json; do
	python3 -m json.tool "$file" /dev/null 2>&1 || echo "$file"
done)"
simulated -j -o - > "$tmp/out" 2> "$tmp/err"
equal "JSON has all parts, and those of the tools as objects" \
	"0 True FAKEHOST 2 True" \
	"$? $(python3 -c '
import json, sys
v = json.load(sys.stdin)
print("smc: link down" in v["log"], v["smcr-info.json"]["host"],
      len(v["smcr-linkgroup.json"]), "\n" in v["system"])' < "$tmp/out")"
equal "nothing is left" "" "$(ls "$TMPDIR")"

if ! grep -qs '^SMC ' /proc/net/protocols; then
	(cd "$tmp" && timeout 120 "$dbg" -o report) > "$tmp/out" 2> "$tmp/err"
	equal "no module: it works, and says so" "0 report 1 1" \
		"$? $(cat "$tmp/out") $(
		grep -c '^not read: views of smcr and smcss: the SMC module is not loaded$' \
			"$tmp/err") $(grep -c 'module is not loaded' "$tmp/report")"
	equal "no module: it loads none" "" "$(grep '^SMC ' /proc/net/protocols)"
fi
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$tmp"
	chmod 777 "$TMPDIR"
	cp "$dbg" "$tmp/copy"
	setpriv --reuid 65534 --regid 65534 --clear-groups env TMPDIR="$TMPDIR" \
		timeout 120 "$tmp/copy" -o - > "$tmp/out" 2> "$tmp/err"
	equal "without root: it works" "0 1" "$? $(grep -c '^==== system' "$tmp/out")"
fi
(cd "$tmp" && timeout 120 "$dbg" -o /nonexistent/file) > "$tmp/out" 2> "$tmp/err"
equal "a file that cannot be written" \
	"1 0 smc_dbg: cannot write /nonexistent/file: No such file or directory" \
	"$? $(wc -c < "$tmp/out") $(tail -1 "$tmp/err")"
timeout 120 "$dbg" -o - > /dev/full 2> "$tmp/err"
equal "a disk that is full" "1 smc_dbg: cannot write the report" \
	"$? $(tail -1 "$tmp/err")"
for wrong in -x word "-o" "--bogus"; do
	"$dbg" "$wrong" > "$tmp/out" 2> "$tmp/err"
	equal "wrong argument $wrong" "2 0 1" \
		"$? $(wc -c < "$tmp/out") $(grep -c '^usage: ' "$tmp/err")"
done
ktap_finish
