#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests that the send queue limits the memory that it takes, and recovers after
# a lack of memory.
# kernels: 6.12 uml
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc @room
ktap_end
