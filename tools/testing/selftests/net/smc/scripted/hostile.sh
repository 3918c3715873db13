#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests CLC with a peer that breaks every rule: smctest/hostile/__main__.py.
# deep: 6.12 6.1
# timeout: 900
exec "$(dirname "$(readlink -f "$0")")/../run_module" hostile "$@"
