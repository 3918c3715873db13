#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The send queue bounds the memory it takes, and gets over a lack of it.
# kernels: 6.12 uml
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc @room
ktap_end
