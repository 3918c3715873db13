#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "smc_run --bpf" lets the kernel turn the sockets of programs that the library
# cannot reach (R-B-01): static programs, and programs that change their user. It
# concerns the cgroup of the command only, and nothing is left behind.
#
# kernels: 6.12
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

fetch="busybox wget -q -O - http://$a:8090/file"

# bytes_by COMMAND: what the command on host b fetches is right
bytes_by() {
	same "$sum" "$(sh_on b "$1 2> /tmp/said | sha256sum; cat /tmp/said")"
}

# no_smc: no connection that b has opened since the last reset uses SMC
no_smc() {
	same 0 "$(on b "$smcr" stats json |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["smc"])')"
}

nothing_left() {
	same "" "$(sh_on b "find /sys/fs/cgroup -name 'smc_run.*'")" || return
	same "" "$(sh_on b "pgrep -x smc_run_bpf || :")"
}

ktap_start
on b busybox true > /dev/null 2>&1 || skip_all "no busybox on host b"
for host in a b; do
	sh_on $host "mountpoint -q /sys/fs/cgroup ||
		mount -t cgroup2 none /sys/fs/cgroup"
done
sh_on a "mkdir -p /tmp/www; head -c 1000000 /dev/urandom > /tmp/www/file"
sum=$(sh_on a "sha256sum < /tmp/www/file")

background a "$smc_run --bpf python3 -m http.server --directory /tmp/www 8090"
reachable 8090
check "the server listens with SMC" same 1 \
	"$(sh_on a "$smcss -l" | grep -c ':8090 ')"

count_connections
check "a static program: what arrives is right" bytes_by "$smc_run --bpf $fetch"
check "a static program: its mode is SMC-R" only_smcr 1
count_connections
check "a child of a program" bytes_by "$smc_run --bpf sh -c '$fetch; exit 0'"
check "a child of a program: its mode is SMC-R" only_smcr 1
count_connections
check "a program of another user" \
	bytes_by "$smc_run --bpf setpriv --reuid 65534 --clear-groups $fetch"
check "a program of another user: its mode is SMC-R" only_smcr 1

count_connections
sh_on b "$smc_run --bpf sleep 30 & echo \$! > /tmp/sleep.pid; sleep 1"
check "another cgroup: what arrives is right" bytes_by "$fetch"
check "another cgroup is not switched" no_smc
check "it is the command's process that runs" same sleep \
	"$(sh_on b "cat /proc/\$(cat /tmp/sleep.pid)/comm")"
check "the module cannot leave meanwhile" sh_on b "! rmmod smc 2> /dev/null"
sh_on b "kill \$(cat /tmp/sleep.pid)"
check "the exit status is that of the command" \
	sh_on b "$smc_run --bpf sh -c 'exit 7'; [ \$? = 7 ]"
check "cgroup and keeper are gone" within "$patience" nothing_left

check "a user without capabilities: says so once" same \
	"smc_run: --bpf has no effect, because no cgroup can be made" \
	"$(sh_on b "setpriv --reuid 65534 --clear-groups $smc_run --bpf true 2>&1" |
		sed 's/ in .*//')"
end_background a
ktap_end
