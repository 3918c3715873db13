#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the cases that need two or three adapters at each end, as conformance.sh
# does.
# lab: --b none --nics 3
# deep: 6.12 6.1
# timer: 1
# timeout: 1800
exec "$(dirname "$(readlink -f "$0")")/../run_module" conformance --suite two_nics "$@"
