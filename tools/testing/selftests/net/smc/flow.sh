#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests full windows, slow readers, poll and epoll.
# foreign: s390x arm64-64k
# places: in_host two_host
# without-frames: uml-debug
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

begin
path_cases @flow @epoll
end
