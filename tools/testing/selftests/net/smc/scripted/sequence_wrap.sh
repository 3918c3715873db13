#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# As conformance.sh, for what takes 65536 messages.
# lab: --b none --nics 3
# kernels: uml uml-debug
# timer: 1
# timeout: 1800
exec "$(dirname "$(readlink -f "$0")")/../run_module" conformance --suite sequence_wrap "$@"
