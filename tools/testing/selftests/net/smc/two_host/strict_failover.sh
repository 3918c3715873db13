#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the test of failover with devices whose mappings are bounce buffers. Then
# the pages of an element have one bounce buffer for each link. Only the buffer
# of the link that has received the bytes is right. The buffer of a link that
# ends must not overwrite the pages.
#
# lab: --nics 2 fresh
# kernels: 6.12 6.1
# deep: 6.12 6.1
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "$0")")/lib_strict.sh"

ktap_start
build_strict
strict bounce=1 sges=4 inline_bytes=0
relay "bounce buffers" "$selftests/two_host/failover.sh"
lenient
ktap_end
