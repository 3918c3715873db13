#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# As conformance.sh, for what takes two or three adapters at each end.
# lab: --b none --nics 3
# deep: 6.12 6.1
# timer: 1
# timeout: 1800
exec "$(dirname "$(readlink -f "$0")")/../run_module" conformance --suite two_nics "$@"
