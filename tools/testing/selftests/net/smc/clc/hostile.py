#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# deep: 6.1
# timeout: 900
"""CLC with a peer that breaks every rule.

Host a, the victim, runs the module under test. Host b runs it too, for decent
connections, and smc_opt.ko, with which plain TCP sockets show option 254: so a
program can be any client or server of the handshake. After each attack a
decent client must be served over RDMA, and the victim's counters must have
moved as they should and not otherwise.

    LAB=scripts/lab LAB_NAME=lab LAB_KERNEL=uml-debug hostile.py [--only PART]

prints KTAP. PART is a pattern: client server v2 group environment lifecycle
stall link fuzz mute left. SMC_OPT_KO is the module for the lab's kernel; without it
the module is built.
"""

import argparse
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

# pylint: disable=wrong-import-position
from hostilelib import attack, victim  # noqa: E402

VICTIM, HOSTILE = "10.77.0.1", "10.77.0.2"
LIMIT = 840     # seconds for all of it
SMC_OPT = os.path.join(HERE, "../modules/smc_opt")


class Lab:
    """The two hosts, as seen from the machine."""

    def __init__(self, script, limit):
        self.script = os.path.realpath(script)
        self.limit = limit
        tree = os.path.join(HERE, "../../../../../..")
        self.program = os.environ.get("LAB", os.path.join(tree, "scripts/lab"))
        self.name = os.environ.get("LAB_NAME", "lab")

    def argv(self, verb, *words):
        return [self.program, verb, "--name", self.name, *words]

    def on(self, host, *words):
        """argv of the script on a host."""
        return self.argv("exec", "--timeout", str(self.limit), host, "--",
                         self.script, *words)

    def complaints(self, host):
        """What the kernel of a host has reported so far."""
        done = subprocess.run(self.argv("dmesg-check", host), check=False,
                              stdout=subprocess.PIPE, encoding="utf-8")
        return done.stdout


def option_module(kernel):
    """Path of smc_opt.ko for the hosts' kernel."""
    given = os.environ.get("SMC_OPT_KO")
    if given:
        return os.path.realpath(given)
    done = subprocess.run(["make", "-s", "--no-print-directory", "-C", SMC_OPT,
                           "path", f"LAB_KERNEL={kernel}"], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout.strip()


def relay(argv):
    """Run it and pass its KTAP on but the plan: (results, failed)."""
    count = failed = 0
    with subprocess.Popen(argv, stdout=subprocess.PIPE,
                          encoding="utf-8") as run:
        for line in run.stdout:
            count += line.startswith(("ok ", "not ok "))
            failed += line.startswith("not ok ")
            if not line.startswith("1.."):
                print(line, end="", flush=True)
    if run.returncode and not failed:
        count, failed = count + 1, failed + 1
        print(f"not ok {count} hostile host: ends well, not with status "
              f"{run.returncode}")
    return count, failed


def drive(lab, service, client):
    """On the machine: start both programs, then look at both kernels.

    service: what the script is called with on host a, where it says a line when
    it is ready; client: on host b.
    """
    module = option_module(os.environ.get("LAB_KERNEL", "uml-debug"))
    before = {host: lab.complaints(host) for host in "ab"}
    with subprocess.Popen(lab.on("a", service),
                          stdout=subprocess.PIPE) as served:
        served.stdout.readline()    # it is ready, or has ended
        count, failed = relay(lab.on("b", *client, "--ko", module))
        served.terminate()
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
        return attack.main(args)
    return drive(Lab(__file__, LIMIT), "victim",
                 ("attack", "--only", args.only, "--seed", str(args.seed)))


if __name__ == "__main__":
    sys.exit(main())
