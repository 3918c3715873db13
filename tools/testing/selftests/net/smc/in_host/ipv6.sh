#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# AF_SMC with IPv6 addresses, IPv4 ones in IPv6 form, and both kinds at a
# listener.
# deep: 6.12 6.1
# timeout: 400
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/../lib.sh"

ktap_start
relay "in-host IPv6" "$peer" --single "${scale[@]}" --family smc6 \
	--expect-mode inhost @data @close @abort @connect @opts @api
relay "in-host mapped" "$peer" --single "${scale[@]}" --family smc6 \
	--addr 127.0.0.1 --expect-mode inhost @data @connect names
"$peer" --server --background
relay "IPv4 client, IPv6 listener" "$peer" --client 127.0.0.1 "${scale[@]}" \
	--family smc --server-family smc6 --expect-mode inhost @data names
"$peer" --stop 127.0.0.1
ktap_end
