# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests between a host with this module and one with the SMC of
# the kernel (stock). OURS and STOCK are the names of the two hosts.
# shellcheck shell=bash
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../two_host/lib.sh"

if [ -z "${OURS:-}" ] || [ -z "${STOCK:-}" ]; then
	skip_all "no host with stock SMC (OURS, STOCK)"
fi

address() {
	if [ "$1" = a ]; then echo "$a"; else echo "$b"; fi
}

address6() {
	if [ "$1" = a ]; then echo "$a6"; else echo "$b6"; fi
}

ours_address=$(address "$OURS")
stock_address=$(address "$STOCK")

# server_on HOST: starts the server of smc_peer on this host
server_on() {
	on "$1" "$peer" --server --background || {
		fail "server on host $1"
		ktap_end
	}
}

stop_server_on() {
	on "$1" "$peer" --stop 127.0.0.1
}

# Prints the data of both hosts that explains a failure.
evidence() {
	local host
	for host in "$OURS" "$STOCK"; do
		echo "# host $host:"
		sh_on "$host" "cat /proc/loadavg; rdma statistic show
			rdma resource show qp; grep -hs -v ' 0$' /proc/net/smc_mib
			ip -s link show eth0; dmesg | tail -n 12" | sed 's/^/#   /'
	done
}

# case_with NAME COMMAND...: takes the results of a smc_peer as results of this
# test
case_with() {
	local name=$1 said status
	shift
	said=$(mktemp)
	"$@" > "$said" 2>&1 < /dev/null
	status=$?
	! grep -q 'mode is TCP, not SMCR' "$said" || evidence
	relay "$name" replay "$said" "$status"
	rm "$said"
}

# from_stock|to_stock NAME ARGUMENT...: runs cases with the client on the stock
# host or on ours; the server has to run on the other host.
from_stock() {
	local name=$1
	shift
	case_with "stock to ours, $name" on -t 500 "$STOCK" "$peer" --client \
		"$ours_address" "${scale[@]}" --family smc "$@"
}

to_stock() {
	local name=$1
	shift
	case_with "ours to stock, $name" on -t 500 "$OURS" "$peer" --client \
		"$stock_address" "${scale[@]}" --family smc "$@"
}

# from_stock6|to_stock6 NAME ARGUMENT...: the same over IPv6
from_stock6() {
	local name=$1
	shift
	case_with "stock to ours, IPv6, $name" on -t 500 "$STOCK" "$peer" \
		--client "$(address6 "$OURS")" "${scale[@]}" --family smc6 "$@"
}

to_stock6() {
	local name=$1
	shift
	case_with "ours to stock, IPv6, $name" on -t 500 "$OURS" "$peer" \
		--client "$(address6 "$STOCK")" "${scale[@]}" --family smc6 "$@"
}

# counter NAME: prints a counter of our host
counter() {
	sh_on "$OURS" "sed -n 's/^$1 //p' /proc/net/smc_mib"
}

# groups_of_stock: prints the number of groups with a working link
groups_of_stock() {
	on "$STOCK" "$smcr" -j link | grep -c '"ACTIVE"'
}

# Functions called through check, within and relay.
# shellcheck disable=SC2317
{
# replay FILE STATUS: repeats a command's output and exit status
replay() {
	cat "$1"
	return "$2"
}

no_active_link() {
	! on "$STOCK" "$smcr" -j link | grep '"ACTIVE"'
}

stock_has_no_group() {
	within "$patience" no_active_link
}

# three: succeeds when the three connections of the case "hold" are open
three() {
	[ "$(active "$OURS")" -eq 3 ]
}

counts_more() {
	echo "$1 is $(counter "$1"), it was $2"
	[ "$(counter "$1")" -gt "$2" ]
}

# ended_after COUNT: waits until more than COUNT of our groups have ended
ended_after() {
	within "$patience" counts_more GroupsEnded "$1"
}

# unload: unloads our module when it has no user any more
unload() {
	on "$OURS" timeout 150 sh -c "rmmod smc_diag
		until rmmod smc 2> /tmp/rmmod; do sleep 0.2; done" ||
		{ on "$OURS" cat /tmp/rmmod; return 1; }
}
}

# reload_ours: reloads our module. This ends our groups, with a message to stock
# SMC, and resets the counters.
reload_ours() {
	local module dir
	check "our module goes" unload
	check "stock was told: it has no group left" stock_has_no_group
	dir=$(modules_of "$OURS")
	for module in smc smc_diag; do
		check "module $module comes" on "$OURS" insmod "$dir/$module.ko"
	done
	sh_on "$OURS" "sysctl -qw net.smc.echo_memory=0 net.smc.dead_path_memory=0"
}

# Lists the cases to skip with stock SMC as client, and as server. In these
# cases stock SMC differs from TCP, even if both hosts have stock SMC.
deaf_reader="a reset is an end of file for the reader of stock SMC"
deaf_poller="a reset is no POLLHUP for the poller of stock SMC"
no_reset="SO_LINGER with 0 is no reset by stock SMC"
first_send="the first send to a peer that has closed fails with stock SMC"
named="a connection of stock SMC has a peer after both ends have finished"
# Used by the tests.
# shellcheck disable=SC2034
{
stock_is_client=(
	--skip "abort_unread_by_server=$deaf_reader"
	--skip "abort_partly_read=$deaf_reader"
	--skip "abort_linger_by_client=$no_reset"
	--skip "abort_linger_by_server=$deaf_reader"
	--skip "abort_purges=$no_reset"
	--skip "abort_wakes_recv=$deaf_reader"
	--skip "abort_wakes_poll=$deaf_poller"
	--skip "killed_server_unread=$deaf_reader"
	--skip "first_send_to_closed=$first_send"
	--skip "first_send_to_shut=$first_send"
	--skip "name_until_end=$named"
	--skip "close_pending=stock SMC gives up unsent data 2 s after close"
	--skip "shut_rd_wakes_reader=SHUT_RD wakes no reader of stock SMC")
stock_is_server=(
	--skip "abort_unread_by_client=$deaf_reader"
	--skip "abort_linger_by_client=$deaf_reader"
	--skip "abort_linger_by_server=$no_reset"
	--skip "abort_purges=$deaf_poller"
	--skip "abort_wakes_recv=$no_reset"
	--skip "abort_wakes_poll=$no_reset"
	--skip "killed_client_unread=$deaf_reader"
	--skip "first_send_to_shut=a second shutdown() of stock SMC tells the peer nothing"
	--skip "name_until_end=$named"
	--skip "abort_many=accept of stock SMC fails with what has been reset")
}
