#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The first run fails, because host a itself stops for three seconds.
# shellcheck disable=SC2153
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$SELFTESTS/two_host/lib.sh"

ktap_start
if [ -e "$MARK" ]; then
	pass "the host answers in time"
	ktap_end
fi
touch "$MARK"
on a insmod "$COMPLAIN" spin=3000
on a rmmod complain
fail "the host answers in time"
ktap_end
