#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# As warns.sh, inside a host. The host sees the source tree of the machine.

tree=$(dirname "$0")/../../..
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. "$tree/tools/testing/selftests/net/smc/ktap.sh"

loads() {
	insmod "$1" warn=1 && rmmod complain
}

ktap_start
check "the module loads" \
	loads "$(find "$tree/build/uml/complain" -name complain.ko)"
ktap_finish
