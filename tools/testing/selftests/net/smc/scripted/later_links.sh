#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs more cases as conformance.sh does: links later in the life of a group,
# missing answers, and cases that load the module more than once.
# lab: --b none --nics 3
# deep: 6.12 6.1
# timer: 1
# timeout: 1800
exec "$(dirname "$(readlink -f "$0")")/../run_module" conformance --suite later_links "$@"
