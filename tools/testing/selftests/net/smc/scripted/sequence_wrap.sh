#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the cases that take 65536 messages, as conformance.sh does.
# lab: --b none --nics 3
# kernels: uml uml-debug
# deep: uml-debug
# also: uml
# timer: 1
# timeout: 1800
exec "$(dirname "$(readlink -f "$0")")/../run_module" conformance --suite sequence_wrap "$@"
