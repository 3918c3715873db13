#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests Redis and PostgreSQL under smc_run (R-B-01): all connections of their
# own benchmarks must use SMC-R, and the stored data must be correct.
#
# kernels: uml 6.12 6.1
# deep: 6.12 6.1
# also: uml
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

pgbin=/usr/lib/postgresql/15/bin
clients=8
transactions=$((48 / div))
total=$((clients * transactions))

# shellcheck disable=SC2317 # "check" calls these
{
# counted COMMAND: runs the command on b and counts its connections; the output
# of the command is in /tmp/said
counted() {
	on b "$smcr" stats reset
	on -t 400 b sh -c "$1 > /tmp/said 2>&1 ||
		{ status=\$?; echo status \$status; cat /tmp/said; exit \$status; }"
}

# Prints the number of connections of each mode that the last counted has
# opened.
modes() {
	on b "$smcr" stats json | python3 -c '
import json, sys
v = json.load(sys.stdin)
smcr, tcp = v["smc"], v["tcp"]["client"]
print(smcr, "by SMC-R,", tcp, "by TCP")
sys.exit(smcr < int(sys.argv[1]) or tcp > 0)' "$clients"
}
}

ktap_start

if command -v redis-server > /dev/null; then
	background a "$smc_run redis-server --bind 0.0.0.0 --port 6379 --dir /tmp \
		--protected-mode no --save '' --appendonly no"
	reachable 6379
	# R-B-01
	check "redis-benchmark comes to its end" counted \
		"$smc_run redis-benchmark -h $a -c $clients -n $((4000 / div)) -d 500 -t set,get,lpush --csv"
	check "redis-benchmark: three results" \
		same 3 "$(sh_on b "grep -c '^\"[A-Z].*[0-9]' /tmp/said")"
	# R-B-01
	check "redis-benchmark: mode" modes
	sh_on b "head -c 3000000 /dev/urandom > /tmp/value
		$smc_run redis-cli -h $a -x set value < /tmp/value > /dev/null"
	check "redis: a value of 3 MB comes back" same "$(sh_on b "sha256sum < /tmp/value")" \
		"$(sh_on b "$smc_run redis-cli -h $a --no-raw strlen value > /dev/null
			$smc_run redis-cli -h $a get value | head -c 3000000 | sha256sum")"
	end_background a
else
	skip "redis" "redis-server is not installed"
fi

if [ -x $pgbin/postgres ]; then
	# A host reads the machine's files, so this machine creates the cluster,
	# which is faster.
	made=$(mktemp -d) && chmod 711 "$made"
	archive=$(mktemp -p "$tree/build")
	trap 'rm -rf "$made" "$archive"' EXIT
	install -d -o postgres -g postgres "$made/data"
	(cd / && setpriv --reuid postgres --regid postgres --clear-groups \
		$pgbin/initdb -D "$made/data" -A trust --no-sync > "$made/log" 2>&1) ||
		fail "initdb" "$(cat "$made/log")"
	echo "host all all 10.77.0.0/24 trust" >> "$made/data/pg_hba.conf"
	tar -C "$made" -cf "$archive" data
	sh_on a "mkdir -p /tmp/pg && tar -C /tmp/pg -xpf $archive"
	background a "setpriv --reuid postgres --regid postgres --clear-groups \
		$smc_run $pgbin/postgres -D /tmp/pg/data -c listen_addresses=$a \
		-c unix_socket_directories= -c fsync=off -c shared_buffers=16MB"
	reachable 5432
	# its port is open before it accepts connections
	within "$patience" on b $pgbin/pg_isready -q -h $a ||
		fail "PostgreSQL has started" "$(on a cat /tmp/background.log)"
	check "pgbench: tables are filled by COPY" \
		on -t 400 b "$smc_run" $pgbin/pgbench -h $a -U postgres -i -q postgres
	check "pgbench comes to its end" counted \
		"$smc_run $pgbin/pgbench -h $a -U postgres -c $clients -j 2 -t $transactions -n postgres"
	check "pgbench: all transactions" sh_on b "grep -q 'processed: $total/$total' /tmp/said"
	check "pgbench: mode" modes
	# R-B-01
	check "PostgreSQL: the books balance" same "100000|t" "$(sh_on b "$smc_run $pgbin/psql \
		-h $a -U postgres -At -c 'select count(*), sum(abalance) =
		(select sum(delta) from pgbench_history) from pgbench_accounts' postgres")"
	end_background a
else
	skip "PostgreSQL" "postgresql-15 is not installed"
fi
ktap_end
