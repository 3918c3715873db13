#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests that a call that waits in a page fault, with the lock of its socket,
# delays no other socket.
# kernels: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

needs smcss
ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc @stuck
check "no socket is left" lists_nothing "$smcss"
ktap_end
