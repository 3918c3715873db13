#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests the sysctls: a value out of range must be refused and change nothing,
# each namespace must keep its own values, and the limits must have an effect.
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

dir=/proc/sys/net/smc

# get NAME: reads the sysctl into $now. The function starts no process, because
# hundreds of processes would take minutes on an emulated host.
get() {
	now=''
	IFS= read -r now < "$dir/$1"
}

# refused NAME VALUE
refused() {
	local before after=written
	get "$1"
	before=$now
	if ! echo "$2" 2>/dev/null > "$dir/$1"; then
		get "$1"
		after=$now
	fi
	check "$1 refuses $2" same "$before" "$after"
	echo "$before" > "$dir/$1"
}

# kept NAME VALUE
kept() {
	local before elsewhere
	get "$1"
	before=$now
	elsewhere=$(in_other cat "$dir/$1")
	echo "$2" > "$dir/$1"
	get "$1"
	check "$1 takes $2" same "$2" "$now"
	check "$1 of another namespace stays" same "$elsewhere" \
		"$(in_other cat "$dir/$1")"
	echo "$before" > "$dir/$1"
}

# in_other COMMAND...: runs it in another network namespace
in_other() {
	nsenter --net=/proc/$other/ns/net "$@"
}

# shellcheck disable=SC2317 # "within" calls it
is_other() {
	! [ "/proc/$other/ns/net" -ef /proc/self/ns/net ]
}

ktap_start
unshare -n sleep 1000 &
other=$!
trap 'kill $other' EXIT
check "there is another namespace" within "$patience" is_other
for name in wmem rmem; do
	refused $name 16383
	refused $name 0
	refused $name -1
	refused $name 1073741824
	refused $name 99999999999
	refused $name word
	kept $name 16384
	kept $name 1048576
done
for value in -1 1073741824 99999999999 word; do
	refused rmem_first $value
done
kept rmem_first 0
kept rmem_first 16384
kept rmem_first 65536
for name in smcr_testlink_time hs_max_listener hs_max_net max_conns max_orphans; do
	refused $name -1
	refused $name 99999999999
	refused $name word
	kept $name 0
	kept $name 7
done
for name in first_max_source first_max_listener first_max_net; do
	refused $name 0
	refused $name -1
	refused $name 99999999999
	refused $name word
	kept $name 1
	kept $name 1048576
done
for value in -1 0 86401 word; do
	refused lgr_idle_time $value
done
kept lgr_idle_time 1
kept lgr_idle_time 86400
for value in -1 1048577 99999999999 word; do
	refused lgr_idle_max $value
done
kept lgr_idle_max 0
kept lgr_idle_max 1048576
for value in -1 0 15 256 word; do
	refused smcr_max_conns_per_lgr $value
done
kept smcr_max_conns_per_lgr 16
kept smcr_max_conns_per_lgr 255
for value in -1 0 4 word; do
	refused smcr_max_links_per_lgr $value
done
kept smcr_max_links_per_lgr 1
kept smcr_max_links_per_lgr 3
for value in -1 16 99999999999 word; do
	refused extension $value
done
kept extension 0
kept extension 1
check "the extension is on by default" same 15 "$(cat $dir/extension)"
for value in -2 256 word; do
	refused tclass $value
done
kept tclass 255
kept tclass -1
for value in -1 2 word; do
	refused smcr_eyecatcher $value
done
kept smcr_eyecatcher 1
for value in -1 1 2 word; do
	refused smcr_buf_type $value
done
kept smcr_buf_type 0
refused autocorking_size -1
refused autocorking_size 99999999999
kept autocorking_size 0

# All namespaces share this limit; the initial namespace shows it.
old=$(cat $dir/mem)
for wrong in -1 "0 0 99999999999999999999" word; do
	refused mem "$wrong"
done
echo "1 2 3" > $dir/mem
check "mem takes three values" same "1	2	3" "$(cat $dir/mem)"
check "mem is not shown in another namespace" unshare -n test ! -e $dir/mem
echo "$old" > $dir/mem

# Tests the share of one namespace in this limit.
for value in -1 0 101 word; do
	refused mem_share $value
done
check "the first namespace may have all" same 100 "$(cat $dir/mem_share)"
check "another namespace has half" same 50 "$(unshare -n cat $dir/mem_share)"
check "root of a user namespace cannot have more" \
	unshare -Urn sh -c "! echo 100 2>/dev/null > $dir/mem_share"

# share_of PERCENT: prints how many of some hundred connections fall back
share_of() {
	unshare -n sh -c "ip link set lo up &&
		echo 16384 > $dir/rmem && echo $1 > $dir/mem_share &&
		$peer --single ${scale[*]} --family smc many > /dev/null &&
		sed -n 's/^ClientFallbacks[^0-9]*//p' /proc/net/smc_mib"
}

# after_ends: prints how many of ten connections fall back if as many others have
# ended as the share allows, but their sockets stay open. A peer has reset half of
# them; the other half have left by connect(AF_UNSPEC), and use TCP.
after_ends() {
	unshare -n sh -c "ip link set lo up && echo 0 > $dir/extension &&
		echo 16384 > $dir/rmem && echo 1 > $dir/mem_share &&
		exec python3 -B '$selftests/ended.py'"
}

old=$(cat $dir/mem)
echo "20000 20000 30000" > $dir/mem
check "ended connections have no share" same 0 "$(after_ends)"
check "within the share all are SMC" same 0 "$(share_of 90)"
check "above the share they are TCP" test "$(share_of 1)" -gt 0
echo "$old" > $dir/mem

# New sockets have the default sizes.
old=$(cat $dir/rmem)
for size in 16384 65536 262144; do
	echo $size > $dir/rmem
	relay "rmem $size" "$peer" --single "${scale[@]}" --family smc \
		--expect-mode inhost sizes msg_peek stop_and_go
done
echo "$old" > $dir/rmem

old=$(cat $dir/max_conns)
echo 5 > $dir/max_conns
relay "above max_conns" "$peer" --single "${scale[@]}" --family smc many churn8
echo "$old" > $dir/max_conns
relay "max_conns high again" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost many
ktap_end
