#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests orderly and abrupt ends of connections (RFC 7609 4.8).
# foreign: s390x arm64-64k
# places: in_host two_host
# without-frames: uml-debug
# deep: 6.1
# deep-two-host:
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

begin
path_cases @close @abort
end
