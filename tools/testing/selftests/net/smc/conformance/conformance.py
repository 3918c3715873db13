#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# lab: --b none
# timeout: 600
"""A scripted peer for RFC 7609, byte by byte.

Host a runs the module under test and an application that does as it is told.
Host b runs no SMC: TCP option 254 comes from smc_opt.ko, everything behind it
(CLC, LLC, CDC and RDMA) from this program, which asserts on bytes.

    LAB=scripts/lab LAB_NAME=lab LAB_KERNEL=uml-debug conformance.py [--only P]

prints KTAP. P is a pattern: see conformlib/suite.py. SMC_OPT_KO is the module
for the lab's kernel; without it the module is built.
"""

import argparse
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
CLC = os.path.join(HERE, "../clc")
sys.path[:0] = [HERE, CLC]

# pylint: disable=wrong-import-position
import hostile  # noqa: E402

MODULE, PEER = "10.77.0.1", "10.77.0.2"
LIMIT = 560     # seconds for all of it


class Lab(hostile.Lab):
    """The two hosts, as seen from the machine."""

    def on(self, host, *words):
        return self.argv("exec", "--timeout", str(LIMIT), host, "--",
                         os.path.realpath(__file__), *words)


def drive(only):
    """On the machine: start both programs, then look at both kernels."""
    lab = Lab()
    module = hostile.option_module(os.environ.get("LAB_KERNEL", "uml-debug"))
    before = {host: lab.complaints(host) for host in "ab"}
    with subprocess.Popen(lab.on("a", "app"),
                          stdout=subprocess.PIPE) as service:
        service.stdout.readline()   # it is ready, or has ended
        count, failed = hostile.relay(lab.on("b", "peer", "--ko", module,
                                             "--only", only))
        service.terminate()
    for host in "ab":
        count += 1
        word = "ok"
        after = lab.complaints(host)
        if after != before[host]:
            word, failed = "not ok", failed + 1
            print("".join(f"# {line}\n" for line in after.splitlines()))
        print(f"{word} {count} no kernel report on host {host}")
    print(f"1..{count}", flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", nargs="?", default="drive",
                        choices=("drive", "app", "peer"),
                        help="app and peer: used on the hosts")
    parser.add_argument("--only", default="*", metavar="PART")
    parser.add_argument("--ko", help="smc_opt.ko on the host of the peer")
    args = parser.parse_args()
    # pylint: disable=import-outside-toplevel
    if args.program == "app":
        from conformlib.app import App
        from hostilelib import victim
        return victim.main(MODULE, App)
    if args.program == "peer":
        from conformlib import suite
        args.victim, args.own = MODULE, PEER
        return suite.main(args)
    return drive(args.only)


if __name__ == "__main__":
    sys.exit(main())
