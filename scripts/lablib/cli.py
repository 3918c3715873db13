# SPDX-License-Identifier: GPL-2.0
"""The command line of "lab"."""

import argparse
import signal
import sys

from lablib import LabError, client, kernels, logscan, place

SMC = ("ours", "stock", "none")


def _count(low, high):
    def parse(text):
        value = int(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{low} to {high}")
        return value
    return parse


def _seconds(text):
    value = float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError("more than 0")
    return value


def _add_host(up, host):
    up.add_argument(f"--{host}", default="ours", choices=SMC,
                    help=f"SMC of host {host}")
    up.add_argument(f"--{host}-kernel", choices=kernels.NAMES,
                    help="its kernel, if not that of --kernel")
    up.add_argument(f"--{host}-root", metavar="DIR",
                    help="its root file system, if not this machine's; it "
                         "needs iproute2, kmod and busybox")
    up.add_argument(f"--{host}-rxe", default="stock",
                    choices=("stock", "rebuilt"),
                    help="its rdma_rxe; rebuilt: stock SMC of 6.1 can use it")


def _add_up(verbs):
    up = verbs.add_parser("up", help="start hosts a and b")
    up.set_defaults(function=client.up)
    up.add_argument("--name", default="lab")
    up.add_argument("--kernel", default="uml", choices=kernels.NAMES)
    for host in place.HOSTS:
        _add_host(up, host)
    up.add_argument("--hosts", default=2, type=_count(1, 2),
                    help="1: only host a")
    up.add_argument("--nics", default=1, type=_count(0, 8))
    up.add_argument("--switch", action="store_true",
                    help="all NICs on one network (User Mode Linux)")
    up.add_argument("--smp", default=1, type=_count(1, 8),
                    help="CPUs per host (QEMU)")
    up.add_argument("--mem", type=_count(256, 16384), help="MiB per host")
    up.add_argument("--boot", action="append", default=[], metavar="WORD",
                    help="for the command line of the kernels")
    up.add_argument("--qemu", action="append", default=[], metavar="WORD",
                    help="for the command line of QEMU, as in --qemu=-s")
    up.add_argument("--systemd", action="store_true",
                    help="run systemd on the hosts, which need roots of their "
                         "own; they load smc themselves")
    up.add_argument("--owner", type=_count(2, 1 << 22), metavar="PID",
                    help="the lab ends when this process does")
    up.add_argument("--pin", action="store_true",
                    help="each host on a CPU of its own")


def _add_exec(verbs):
    run = verbs.add_parser("exec", help="run a command on a host")
    run.set_defaults(function=client.execute)
    run.add_argument("--name", default="lab")
    run.add_argument("--timeout", type=_seconds, default=600.0,
                     help="seconds, then it is killed: status 124")
    run.add_argument("host", choices=("a", "b"))
    run.add_argument("command", nargs=argparse.REMAINDER,
                     metavar="-- COMMAND")


def _add_host_verb(verbs, verb, function, text):
    parser = verbs.add_parser(verb, help=text)
    parser.set_defaults(function=function)
    parser.add_argument("--name", default="lab")
    parser.add_argument("host", choices=("a", "b"))
    return parser


def command_line():
    """Returns a parser for all verbs and their arguments."""
    lab = argparse.ArgumentParser(
        prog="lab", description="Two hosts with RDMA on this machine.",
        epilog="Exit status 125: the lab failed, not the command.")
    verbs = lab.add_subparsers(dest="verb", required=True)
    _add_up(verbs)
    _add_exec(verbs)
    _add_host_verb(verbs, "log", client.log, "print a host's console")
    check = _add_host_verb(verbs, "dmesg-check", logscan.dmesg_check,
                           "fail on kernel reports since the host was ready")
    check.add_argument("--new", action="store_true",
                       help="only what came since the last --new")
    _add_host_verb(verbs, "kmemleak", logscan.kmemleak,
                   "scan for leaks, fail on any (uml-debug)")
    _add_host_verb(verbs, "refresh", client.refresh,
                   "see files that changed on the machine since")
    usage = verbs.add_parser(
        "usage", help="how long the machine kept the hosts from running, as "
                      "JSON, since the last call")
    usage.set_defaults(function=client.usage)
    usage.add_argument("--name", default="lab")
    down = verbs.add_parser("down", help="end a lab")
    down.set_defaults(function=client.down)
    down.add_argument("--name", default="lab")
    down.add_argument("--all", action="store_true", help="every lab")
    verbs.add_parser("list", help="show the labs").set_defaults(
        function=client.listing)
    return lab


def _interrupted(_number, _frame):
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGTERM, _interrupted)
    args = command_line().parse_args()
    if args.verb == "exec":
        if args.command[:1] == ["--"]:
            del args.command[0]
        if not args.command:
            print("lab: exec needs a command", file=sys.stderr)
            return 2
    try:
        return args.function(args)
    except LabError as err:
        print(f"lab: {err}", file=sys.stderr)
    except BrokenPipeError:
        sys.stderr.close()
    except KeyboardInterrupt:
        return 130
    return client.TROUBLE
