#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data arrive complete, in order, once; many connections, short ones.
# places: in_host two_host
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

begin
path_cases @data
end
