#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# As conformance.sh: links later in the life of a group, no answers, and what
# needs more than one life of the module.
# lab: --b none --nics 3
# deep: 6.12 6.1
# timer: 1
# timeout: 1800
exec "$(dirname "$(readlink -f "$0")")/../run_module" conformance --suite later_links "$@"
