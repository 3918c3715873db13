# SPDX-License-Identifier: GPL-2.0
"""Tests of RFC 7609 with a scripted peer, which controls every byte.

Host a runs the module under test and an application that obeys the scripted
peer. Host b runs no SMC. There smc_opt.ko adds TCP option 254. This program
does the rest (CLC, LLC, CDC and RDMA), and checks the received bytes.

    LAB=scripts/lab LAB_NAME=lab LAB_KERNEL=uml-debug scripted/conformance.sh
        [--only P] [--case NAME]

prints KTAP. P is a pattern: see suite.py. SMC_OPT_KO is the path of smc_opt.ko
for the lab's kernel; if it is not set, the program builds the module. The
lab's hosts have three NICs, of which host a uses one until a test needs more.
"""

import argparse
import os
import sys

from smctest import TREE
from smctest.drive import Lab, drive

MODULE, PEER = "10.77.0.1", "10.77.0.2"
LIMIT = 1740    # seconds for the whole run


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", nargs="?", default="drive",
                        choices=("drive", "app", "peer"),
                        help="app and peer: used on the hosts")
    parser.add_argument("--suite", default="conformance",
                        help="see SUITES in suite.py")
    parser.add_argument("--only", default="*", metavar="PART")
    parser.add_argument("--case", default="*", metavar="NAME",
                        help="only cases of such a name: a pattern")
    parser.add_argument("--ko", help="smc_opt.ko on the host of the peer")
    parser.add_argument("--smc", help="directory of the module under test")
    args = parser.parse_args()
    # Each host needs only its own libraries: pyverbs may be missing on host a,
    # and yaml on host b.
    # pylint: disable=import-outside-toplevel
    if args.program == "app":
        from smctest import victim
        from smctest.conformance.app import App
        return victim.main(MODULE, App)
    if args.program == "peer":
        from smctest.conformance import suite
        args.victim, args.own = MODULE, PEER
        return suite.main(args)
    smc = os.path.join(TREE, "build", os.environ.get("LAB_KERNEL", "uml-debug"),
                       "net/smc")
    return drive(Lab("conformance", LIMIT), "app",
                 ("peer", "--suite", args.suite, "--only", args.only, "--case",
                  args.case, "--smc", smc))


if __name__ == "__main__":
    sys.exit(main())
