#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests that data arrives complete, in order and once, also over many and over
# short connections.
# foreign: s390x arm64-64k
# places: in_host two_host
# deep-two-host: 6.1
# without-frames: uml-debug
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

begin
path_cases @data
end
