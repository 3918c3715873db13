#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests RFC 7609 byte by byte, with a scripted peer:
# smctest/conformance/__main__.py.
# lab: --b none --nics 3
# deep: uml-debug 6.12 6.1
# also: uml
# timer: 0.5
# timeout: 1800
exec "$(dirname "$(readlink -f "$0")")/../run_module" conformance "$@"
