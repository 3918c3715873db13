#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The test of failover with devices whose mappings are bounce buffers. The pages
# of an element then have one buffer for each link, and only that of the link
# over which bytes have arrived is right. Nothing of a link that ends may reach
# the pages.
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
