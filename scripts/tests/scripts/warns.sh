#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Passes, but the kernel of one host (WARNS_ON) reports something during the
# script: what the argument COMPLAINT makes the module report.
# shellcheck disable=SC2153
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$SELFTESTS/two_host/lib.sh"

ktap_start
check "the module loads" on "$WARNS_ON" insmod "$COMPLAIN" "$COMPLAINT"
on "$WARNS_ON" rmmod complain
ktap_end
