#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# As warns.sh, inside a host. Its tree is that of the machine.

echo "KTAP version 1"
echo "1..1"
module=$(find "$(dirname "$0")/../../../build/uml/complain" -name complain.ko)
if insmod "$module" warn=1 && rmmod complain; then
	echo "ok 1 the module loads"
else
	echo "not ok 1 the module loads"
fi
