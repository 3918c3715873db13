#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Passes, but the kernel of one host (WARNS_ON) reports a warning during the
# script.
# shellcheck disable=SC2153
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$SELFTESTS/two_host/lib.sh"

ktap_start
check "the module loads" on "$WARNS_ON" insmod "$COMPLAIN" warn=1
on "$WARNS_ON" rmmod complain
ktap_end
