# SPDX-License-Identifier: GPL-2.0
"""The list of all tests, in order. The suite runs on the hostile host."""

import fnmatch

from smctest import ueid
from smctest.hostile import (as_client, as_ext, as_ipv6, as_server, as_v2,
                             case, environment, flood, fuzz, groups, lifecycle,
                             mute, stalls)
from smctest.ktap import Report
from smctest.option import option_module
from smctest.victim import Remote
from smctest.world import World


def _run_cases(report, world, module):
    case.run_all(report, world, module.cases())


def _run_v2(report, world, _):
    with world.version2():
        case.run_all(report, world, as_v2.cases())


def _run_ext(report, world, _):
    with world.version2():
        case.run_all(report, world, as_ext.cases())


def _run_ipv6(report, world, _):
    with world.version2():
        case.run_all(report, world, as_ipv6.cases())


# The names that --only may contain, in this order.
PARTS = {
    "client": lambda report, world, _: _run_cases(report, world, as_client),
    "server": lambda report, world, _: _run_cases(report, world, as_server),
    "v2": _run_v2,
    "ext": _run_ext,
    "ipv6": _run_ipv6,
    "group": lambda report, world, _: _run_cases(report, world, groups),
    "environment": lambda report, world, _: _run_cases(report, world,
                                                       environment),
    "flood": lambda report, world, _: _run_cases(report, world, flood),
    "lifecycle": lambda report, world, _: _run_cases(report, world, lifecycle),
    "stall": lambda report, world, _: stalls.run(report, world),
    "link": lambda report, world, _: _run_cases(report, world, stalls),
    "fuzz": fuzz.run,
    "mute": lambda report, world, _: mute.run(report, world),
    "left": lambda report, world, _: lifecycle.run(report, world),
}


def main(args):
    report = Report()
    with option_module(args.ko):
        world = World(Remote(args.victim), args.victim, args.own)
        for name, part in PARTS.items():
            if fnmatch.fnmatch(name, args.only):
                part(report, world, args.seed)
        world.victim.ueids([ueid.DEFAULT])
        ueid.replace([ueid.DEFAULT])
    return report.finish()
