#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the cases of the extension as conformance.sh does its cases: the
# agreement, frames, and a peer that breaks their rules.
# lab: --b none --nics 3
# deep: 6.12 6.1
# timer: 1
# timeout: 1800
exec "$(dirname "$(readlink -f "$0")")/../run_module" conformance --suite frames "$@"
