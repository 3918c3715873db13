# SPDX-License-Identifier: GPL-2.0
"""Tests of CLC with a peer that breaks every rule.

Host a, the victim, runs the module under test. Host b runs the module, too,
for decent connections. Host b also runs smc_opt.ko, with which plain TCP
sockets show option 254. So a program there can be any client or server of the
handshake. After each attack, the victim must serve a decent client over RDMA,
and the victim's counters must have changed as expected and not otherwise.

    LAB=scripts/lab LAB_NAME=lab LAB_KERNEL=uml-debug scripted/hostile.sh [--only PART]

prints KTAP. PART is a pattern: client server v2 ext group environment lifecycle
stall link fuzz mute left. SMC_OPT_KO is the path of smc_opt.ko for the lab's
kernel; if it is not set, the program builds the module.
"""

import argparse
import os
import sys

from smctest import victim
from smctest.drive import Lab, drive
from smctest.hostile import suite

VICTIM, HOSTILE = "10.77.0.1", "10.77.0.2"
LIMIT = 840     # seconds for the whole run


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", nargs="?", default="drive",
                        choices=("drive", "victim", "attack"),
                        help="victim and attack: used on the hosts")
    parser.add_argument("--only", default="*", metavar="PART")
    parser.add_argument("--seed", type=int, default=int.from_bytes(
        os.urandom(2), "big"), help="of the damage done to messages")
    parser.add_argument("--ko", help="smc_opt.ko on the hostile host")
    args = parser.parse_args()
    if args.program == "victim":
        return victim.main(VICTIM)
    if args.program == "attack":
        args.victim, args.own = VICTIM, HOSTILE
        return suite.main(args)
    return drive(Lab("hostile", LIMIT), "victim",
                 ("attack", "--only", args.only, "--seed", str(args.seed)))


if __name__ == "__main__":
    sys.exit(main())
