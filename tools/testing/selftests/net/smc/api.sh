#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests the socket interface: sharing, connecting, flags, options, signals.
# places: in_host two_host
# without-frames:
# deep: 6.12 6.1
# timer: 0.2
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

begin
path_cases @share @connect @flags @hold @splice @opts @wait @info @zerocopy \
	@stamp @signal @urgent @oob @api @busy
end
