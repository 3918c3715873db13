#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A call may wait in a page fault while it holds the lock of its socket. Tests
# that such a call delays no other socket.
# kernels: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

needs smcss
ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc @stuck
check "no socket is left" lists_nothing "$smcss"
ktap_end
