#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The first run fails, while the machine stops host a for three seconds. The
# file MARK exists after the first run.
# shellcheck disable=SC2153
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$SELFTESTS/two_host/lib.sh"

ktap_start
if [ -e "$MARK" ]; then
	pass "the host answers in time"
	ktap_end
fi
touch "$MARK"
host=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["sessions"][0])' \
	< "/tmp/smc-lab-$(id -u)/$LAB_NAME/state")
kill -STOP "$host"
sleep 3
kill -CONT "$host"
fail "the host answers in time"
ktap_end
