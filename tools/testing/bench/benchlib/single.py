# SPDX-License-Identifier: GPL-2.0
"""Runs one item once, and something that observes the hosts beside it. The
programs that explain the speed of an item share this."""

import argparse
import contextlib
import sys
import threading

from benchlib import BenchError, items, measure, pair, programs

# Which function sends a message, and is called once for it?
SENDS = {"tcp": "tcp_sendmsg", "stock": "smc_sendmsg", "ours": "smc_sendmsg",
         "ours_rfc": "smc_sendmsg", "verbs_calls": "ib_uverbs_post_send",
         "verbs_records": "ib_uverbs_post_send"}


def command_line(doc, keys, systems, lines):
    """Returns a parser for an item, a system and --lines. doc: the program's
    description, lines: how many functions it prints by default."""
    parser = argparse.ArgumentParser(description=doc.split("\n", 1)[0])
    parser.add_argument("item", choices=keys)
    parser.add_argument("system", choices=list(systems))
    parser.add_argument("--lines", type=int, default=lines)
    return parser


def chosen(args):
    """Returns the item of the command line."""
    return next(item for item in items.ITEMS if item.key == args.item)


@contextlib.contextmanager
def hosts_for(kernel, system, others="ours", qemu=()):
    """Inside the block, the hosts that a system needs are up. others: the SMC
    of the hosts for a system without SMC, qemu: see pair.Pair."""
    sides = items.SIDES.get(system, items.SIDES[others])
    hosts = pair.Pair(kernel, system, sides, qemu=qemu)
    hosts.up()
    try:
        yield hosts
    finally:
        hosts.down()


def beside(hosts, args, secs, *actions):
    """Runs the item for secs seconds and the actions at the same time, each in
    a thread. Returns the measurement, or raises the first BenchError."""
    bench = measure.Bench(programs.OUT, secs, 0.5)
    errors = []

    def attempt(action):
        try:
            return action()
        except BenchError as err:
            errors.append(err)
            return None

    threads = [threading.Thread(target=attempt, args=(action,))
               for action in actions]
    for thread in threads:
        thread.start()
    got = attempt(lambda: bench.measure(hosts, chosen(args), args.system))
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return got


def status(name, run, args):
    """Calls run(args). Returns the exit status of the program, and prints the
    reason if there is no result."""
    try:
        run(args)
    except BenchError as err:
        print(f"{name}: {err}", file=sys.stderr)
        return 1
    return 0
