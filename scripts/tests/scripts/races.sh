#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Passes, but two processors of host b write a variable without a lock.
# shellcheck disable=SC2153
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$SELFTESTS/two_host/lib.sh"

ktap_start
check "the module loads" on b insmod "$COMPLAIN" race=2000
on b rmmod complain
ktap_end
