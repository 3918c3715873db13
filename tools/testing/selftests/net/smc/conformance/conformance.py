#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# lab: --b none --nics 3
# deep: 6.12 6.1
# timer: 1
# timeout: 1800
"""A scripted peer for RFC 7609, byte by byte.

Host a runs the module under test and an application that does as it is told.
Host b runs no SMC: TCP option 254 comes from smc_opt.ko, everything behind it
(CLC, LLC, CDC and RDMA) from this program, which asserts on bytes.

    LAB=scripts/lab LAB_NAME=lab LAB_KERNEL=uml-debug conformance.py [--only P]
        [--case NAME]

prints KTAP. P is a pattern: see conformlib/suite.py. SMC_OPT_KO is the module
for the lab's kernel; without it the module is built. The lab's hosts have three
NICs, of which host a uses one until a test wants more.
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
CLC, NETLINK = (os.path.join(HERE, "..", name) for name in ("clc", "netlink"))
TREE = os.path.realpath(os.path.join(HERE, "../../../../../.."))
sys.path[:0] = [HERE, CLC, NETLINK]

# pylint: disable=wrong-import-position
import hostile  # noqa: E402

MODULE, PEER = "10.77.0.1", "10.77.0.2"
LIMIT = 1740    # seconds for all of it


def main(script=__file__, parts="one"):
    """script: what is started on the hosts; parts: see suite.PARTS."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", nargs="?", default="drive",
                        choices=("drive", "app", "peer"),
                        help="app and peer: used on the hosts")
    parser.add_argument("--only", default="*", metavar="PART")
    parser.add_argument("--case", default="*", metavar="NAME",
                        help="only cases of such a name: a pattern")
    parser.add_argument("--ko", help="smc_opt.ko on the host of the peer")
    parser.add_argument("--smc", help="directory of the module under test")
    args = parser.parse_args()
    # pylint: disable=import-outside-toplevel
    if args.program == "app":
        from conformlib.app import App
        from hostilelib import victim
        return victim.main(MODULE, App)
    if args.program == "peer":
        from conformlib import suite
        args.victim, args.own, args.parts = MODULE, PEER, parts
        return suite.main(args)
    smc = os.path.join(TREE, "build", os.environ.get("LAB_KERNEL", "uml-debug"),
                       "net/smc")
    return hostile.drive(hostile.Lab(script, LIMIT), "app",
                         ("peer", "--only", args.only, "--case", args.case,
                          "--smc", smc))


if __name__ == "__main__":
    sys.exit(main())
