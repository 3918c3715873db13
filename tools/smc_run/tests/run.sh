#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests smc_run and its library. These tests need no SMC. fake_smc.so simulates
# a kernel with SMC. With FAKE_SMC_ERRNO fake_smc.so refuses AF_SMC, as a kernel
# without SMC does. So the results do not depend on whether the running kernel
# has SMC.

cd "$(dirname "$0")" || exit 1
smc_run=$(cd .. && pwd)/smc_run
lib=$(cd .. && pwd)/libsmc-preload.so
fake=$PWD/fake_smc.so
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset LD_PRELOAD SMC_SNDBUF SMC_RCVBUF FAKE_SMC_ERRNO
export SMC_CONF=	# no rules of this machine
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../../testing/selftests/net/smc/ktap.sh || exit 1

with_fake() {
	LD_PRELOAD=$fake timeout 60 "$smc_run" "$@"
}

plain="inet own
inet-tcp own
inet6 own
inet6-tcp own
inet-flags own nonblock cloexec
inet-udp own
inet6-udp own
inet-mptcp own
unix own
inet-badtype error EINVAL
inet-badproto error EPROTONOSUPPORT
badfamily error EAFNOSUPPORT"
converted="inet smc
inet-tcp smc
inet6 smc6
inet6-tcp smc6
inet-flags smc nonblock cloexec
inet-udp own
inet6-udp own
inet-mptcp own
unix own
inet-badtype error EINVAL
inet-badproto error EPROTONOSUPPORT
badfamily error EAFNOSUPPORT"

# Without MPTCP on this machine the library cannot change the result.
./probe > "$tmp/direct"
if ! grep -q '^inet-mptcp own' "$tmp/direct"; then
	reply=$(grep '^inet-mptcp' "$tmp/direct")
	plain=${plain/inet-mptcp own/$reply}
	converted=${converted/inet-mptcp own/$reply}
fi

ktap_start
equal "without smc_run nothing changes" "$plain" "$(cat "$tmp/direct")"
equal "TCP sockets become SMC ones, others do not, errno stays" \
	"$converted" "$(with_fake ./probe)"
# EAFNOSUPPORT EPROTONOSUPPORT ESOCKTNOSUPPORT EPERM EACCES ENOMEM ENOSYS
for err in 97 93 94 1 13 12 38; do
	equal "errno $err for AF_SMC: the program gets TCP" "$plain" \
		"$(FAKE_SMC_ERRNO=$err with_fake ./probe)"
done
equal "on the running kernel every call succeeds as before" \
	"$(sed 's/ .*error/ error/' "$tmp/direct" | grep -c own)" \
	"$("$smc_run" ./probe | grep -cE 'own|smc')"
# The test opens 7400 sockets in 32 threads. All threads may call socket()
# before the first answer arrives, and one or two pauses may end during the
# test.
asked=$(FAKE_SMC_ERRNO=97 with_fake ./probe repeat 1000)
check "a kernel without AF_SMC is not asked for each socket ($asked)" \
	[ "${asked#fake_smc_asked }" -le 200 ]
equal "other errors do not stop asking" "fake_smc_asked 6450" \
	"$(FAKE_SMC_ERRNO=12 with_fake ./probe repeat 50)"
for i in 1 2 3 4 5; do
	equal "32 threads in a constructor that runs first, round $i" \
		"ctor_sockets 6400 ctor_marked 6400" \
		"$(with_fake ./probe counters | xargs)"
done
equal "a static program is unaffected" "$plain" "$(with_fake ./probe-static 2> /dev/null)"
with_fake ./probe-static 2>&1 > /dev/null | cat > "$tmp/err"
equal "... and the user is told" \
	"smc_run: ./probe-static is a static program; its sockets stay on TCP" \
	"$(cat "$tmp/err")"
cp ./probe "$tmp/go"
printf '\377 Go buildinf:' >> "$tmp/go"
equal "a Go program: the user is told" \
	"smc_run: $tmp/go is a Go program, which issues system calls itself; its sockets stay on TCP" \
	"$("$smc_run" "$tmp/go" 2>&1 > /dev/null | head -1)"
cp ./probe "$tmp/setuid"
chmod ug+s "$tmp/setuid"
equal "a set-ID program of the same user and group: its sockets are SMC" \
	"$converted" "$(LD_LIBRARY_PATH=$PWD with_fake "$tmp/setuid")"
equal "... and no word" "" \
	"$(LD_LIBRARY_PATH=$PWD "$smc_run" "$tmp/setuid" 2>&1 > /dev/null)"
if [ "$(id -u)" = 0 ]; then
	for changed in 65534:0 0:65534; do
		chown "$changed" "$tmp/setuid"
		chmod ug+s "$tmp/setuid"
		equal "a set-ID program of $changed: the user is told" \
			"smc_run: $tmp/setuid changes its user or group; its sockets stay on TCP" \
			"$("$smc_run" "$tmp/setuid" 2>&1 > /dev/null | head -1)"
	done
else
	skip "a set-ID program of another user" "needs root"
fi
if [ "$(id -u)" = 0 ] && cp ./probe ./libctor.so "$tmp/" &&
   setcap cap_net_raw+ep "$tmp/probe" 2> /dev/null; then
	chmod 755 "$tmp"
	cp "$smc_run" "$lib" "$tmp/"
	equal "a program with capabilities: the user is told" \
		"smc_run: $tmp/probe has capabilities; its sockets stay on TCP" \
		"$(setpriv --reuid 65534 --regid 65534 --clear-groups \
			"$tmp/smc_run" "$tmp/probe" 2>&1 > /dev/null | head -1)"
	equal "root has them anyway: no word" "" \
		"$(LD_LIBRARY_PATH=$PWD "$smc_run" "$tmp/probe" 2>&1 > /dev/null)"
else
	skip "a program with capabilities" "cannot give a file capabilities"
fi
equal "no word about others" "" "$("$smc_run" sh -c : 2>&1)"
equal "no word about a program whose loader's name is far from its head" "" \
	"$("$smc_run" ./late 2>&1)"
equal "--debug shows what is set" \
	"smc_run: LD_PRELOAD=$lib SMC_RCVBUF=32k SMC_SNDBUF=" \
	"$("$smc_run" --debug -r 32k true 2>&1)"
equal "a chain of exec keeps the sockets SMC" "$converted" \
	"$(with_fake sh -c 'exec env sh -c "exec timeout 50 ./probe"')"
equal "smc_run within smc_run adds the library once" "$lib:$fake" \
	"$(with_fake "$smc_run" printenv LD_PRELOAD)"
equal "LD_PRELOAD is extended" "$lib:$fake" "$(with_fake printenv LD_PRELOAD)"
equal "LD_PRELOAD is set where there was none" "$lib" \
	"$("$smc_run" printenv LD_PRELOAD)"

# ---- rules ----

conf=$tmp/smc.conf

# ruled RULES ARGUMENT...: prints what sockets the probe has under these rules
ruled() {
	printf '%s\n' "$1" > "$conf"
	shift
	SMC_CONF=$conf with_fake "${program:-./probe}" "$@" 2>&1 | xargs
}
own="inet own inet-tcp own inet6 own inet6-tcp own"
smc="inet smc inet-tcp smc inet6 smc6 inet6-tcp smc6"

# first RULES: prints what socket() itself makes
first() {
	ruled "$1" | cut -d' ' -f1-8
}
equal "rules: none" "$smc" "$(first "")"
equal "rules: TCP for this program" "$own" "$(first "use tcp both probe *:*")"
equal "rules: TCP by a pattern" "$own" "$(first "use tcp both pr?b* *:*")"
equal "rules: TCP by its path" "$own" "$(first "use tcp both */probe *:*")"
equal "rules: TCP for another program" "$smc" \
	"$(first "use tcp both prob *:*")"
equal "rules: in two parts, TCP for this program" "$own" "$(first \
	"use tcp listen * *:*
	 use tcp connect probe *:*")"
equal "rules: TCP in one direction only: an SMC socket" "$smc" \
	"$(first "use tcp listen * *:*")"
equal "rules: SMC for one port: an SMC socket" "$smc" "$(first \
	"use smc listen * *:80
	 use tcp both * *:*")"
equal "rules: what follows a rule for all does not count" "$own" "$(first \
	"use tcp both * *:*
	 use smc both probe *:80")"
ln -s probe "$tmp/alias"
equal "rules: the name that it was started by" "$own" \
	"$(program=$tmp/alias LD_LIBRARY_PATH=. first "use tcp both alias *:*")"
equal "rules: the name of its file" "$own" \
	"$(cp probe "$tmp/probe"
	   program=$tmp/alias LD_LIBRARY_PATH=. first "use tcp both probe *:*")"

equal "connect: the first rule that matches decides" "smc off smc off smc6 smc" \
	"$(ruled "use smc connect * 10.0.0.1:*
		use tcp connect * 10.0.0.0/8:5-6
		use smc connect * 10.0.0.0/8:7
		use tcp listen * *:*" connect \
		10.0.0.1 5 10.0.0.2 5 10.0.0.2 7 ::ffff:10.0.0.2 6 ::1 5 \
		11.0.0.1 5)"
equal "connect: rules of IPv6" "off smc6 smc" \
	"$(ruled "use tcp connect * [2001:db8::]/32:*" connect \
		2001:db8::1 5 2001:db9::1 5 10.0.0.1 5)"
equal "listen: by port and address" "off smc off" \
	"$(ruled "use tcp listen * 127.83.77.0/24:47807
		use tcp connect * *:*" listen 127.83.77.1 47807 \
		127.83.77.1 47808 127.83.77.2 47807)"
equal "a kernel that refuses: the socket stays as it is" "smc" \
	"$(FAKE_SMC_BUSY=1 ruled "use tcp connect * *:5" connect 10.0.0.1 5)"
equal "TCP sockets are left alone" "own" "$(FAKE_SMC_ERRNO=97 \
	ruled "use tcp connect * *:5" connect 10.0.0.1 5)"
equal "32 threads in a constructor that runs first, with rules" \
	"ctor_sockets 6400 ctor_marked 6400" \
	"$(ruled "use tcp connect * *:5" counters)"
equal "32 threads in a constructor that runs first, none with SMC" \
	"ctor_sockets 6400 ctor_marked 0" \
	"$(ruled "use tcp both * *:*" counters)"

# says TEXT: what the program says about a file, in 32 threads
says() {
	SMC_CONF=$1 with_fake ./probe 2>&1 > "$tmp/out" | cat
}
printf 'use tcp both * *:*\nbogus\n' > "$conf"
equal "a broken file: one line" \
	"smc_run: $conf:2: 'bogus' is none of use, ueid, pnetid and sysctl; the file is ignored" \
	"$(says "$conf")"
equal "a broken file: as without it" "$converted" "$(cat "$tmp/out")"
equal "a setting that is wrong makes the file a broken one" \
	"smc_run: $conf:1: a UEID is: ueid NAME; the file is ignored" \
	"$(echo ueid > "$conf"; says "$conf")"
equal "a file that is named and not there" \
	"smc_run: $tmp/none: No such file or directory; the file is ignored" \
	"$(says "$tmp/none")"
equal "a directory" "smc_run: $tmp: no regular file; the file is ignored" \
	"$(says "$tmp")"
echo 'use tcp both * *:*' > "$conf"
equal "standard error is closed: the program runs" "$plain" \
	"$(SMC_CONF=$conf with_fake ./probe 2>&-)"

# sizes: an option or environment variable, its value, and the number of bytes
# that getsockopt() must return (doubled)
sizes() {
	local want=$1
	shift
	equal "$*" "sndbuf $want rcvbuf $want" \
		"$(LD_PRELOAD=$fake timeout 60 "$@" 2> "$tmp/err")"
	equal "$*: no complaint" "" "$(cat "$tmp/err")"
}
sizes 65536 env SMC_SNDBUF=32768 SMC_RCVBUF=32768 "$smc_run" ./probe buffers
sizes 65536 env SMC_SNDBUF=32k SMC_RCVBUF=32K "$smc_run" ./probe buffers
sizes 131072 "$smc_run" -t 64k --rcvbuf 64k ./probe buffers
default=$(./probe buffers)
equal "no size: the kernel's default" "$default" "$(with_fake ./probe buffers)"
equal "empty size: the kernel's default" "$default" \
	"$(SMC_SNDBUF='' SMC_RCVBUF='' with_fake ./probe buffers)"
equal "sizes do not touch TCP sockets" "$default" \
	"$(FAKE_SMC_ERRNO=97 SMC_SNDBUF=32k SMC_RCVBUF=32k with_fake ./probe buffers)"
for bad in 0 -1 12x k 3kk 4g " 5" 99999999999999999999 2048m 3000000000; do
	equal "SMC_SNDBUF='$bad': the program runs, with defaults" "$default" \
		"$(SMC_SNDBUF=$bad with_fake ./probe buffers 2> "$tmp/err")"
	equal "SMC_SNDBUF='$bad': one line says so" \
		"smc_run: SMC_SNDBUF=$bad is not a buffer size (bytes, or a number with k or m); ignored" \
		"$(cat "$tmp/err")"
done

with_fake sh -c 'exit 7'
equal "exit status of the command" 7 $?
with_fake /nonexistent 2> /dev/null
equal "command not found" 127 $?
with_fake /etc/passwd 2> /dev/null
equal "command not executable" 126 $?
"$smc_run" 2> "$tmp/err"
equal "no command" "125 usage: smc_run [-b] [-d] [-r SIZE] [-t SIZE] COMMAND [ARGUMENT]..." \
	"$? $(cat "$tmp/err")"
"$smc_run" --nonsense true 2> /dev/null
equal "unknown option" 125 $?

equal "BPF: the program, and the search in BTF" "0 passed" \
	"$(./hook_test > "$tmp/said" 2>&1; echo "$? $(tail -n 1 "$tmp/said")")"
./keeper_test "$tmp" > "$tmp/keeper" 2>&1
status=$?
ktap_take_all "BPF: the keeper" < "$tmp/keeper"
equal "BPF: the keeper: all tests ran" "0 10" \
	"$status $(grep -c '^ok' "$tmp/keeper")"
equal "BPF: a kernel without IPPROTO_SMC: the library turns the sockets" \
	"$converted" "$(with_fake --bpf ./probe 2> "$tmp/err")"
equal "BPF: says why, once" \
	"smc_run: --bpf has no effect, because the kernel has no IPPROTO_SMC: Protocol not supported" \
	"$(cat "$tmp/err")"
with_fake -b sh -c 'exit 7' 2> /dev/null
equal "BPF: exit status of the command" 7 $?
with_fake --bpf /nonexistent 2> /dev/null
equal "BPF: command not found" 127 $?
with_fake --bpf /nonexistent 2>&-
equal "BPF: command not found, and standard error is closed" 127 $?
with_fake --bpf /etc/passwd 2> /dev/null
equal "BPF: command not executable" 126 $?
with_fake --bpf --rcvbuf 1m true 2> "$tmp/err"
equal "BPF: no buffer sizes" \
	"125 smc_run: the kernel sets no buffer sizes: --bpf excludes --rcvbuf and --sndbuf" \
	"$? $(cat "$tmp/err")"
equal "arguments pass unchanged" "-x|a b||*" \
	"$("$smc_run" -- sh -c 'IFS="|"; echo "$*"' sh -x 'a b' '' '*')"

make -s -C .. install DESTDIR="$tmp/root" PREFIX=/usr LIBDIR="$tmp/lib" > /dev/null 2>&1
mkdir -p "$tmp/lib"
cp "$lib" "$tmp/lib/"
ln -s "$tmp/root/usr/bin/smc_run" "$tmp/link"
equal "installed, through a symbolic link: finds the library in LIBDIR" \
	"$tmp/lib/libsmc-preload.so" "$("$tmp/link" printenv LD_PRELOAD)"
rm -r "${tmp:?}/lib"
"$tmp/link" true 2> "$tmp/err"
equal "library missing: one line" \
	"125 smc_run: libsmc-preload.so not found beside this script nor in $tmp/lib" \
	"$? $(cat "$tmp/err")"

ktap_finish
