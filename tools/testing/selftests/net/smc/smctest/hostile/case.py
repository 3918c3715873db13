# SPDX-License-Identifier: GPL-2.0
"""A test as the lists of this package hold it."""

import collections

from smctest import world as worlds

# expected: required changes of the victim's counters, without those of a good
# connection;
# limit: seconds; before: done first, and not counted
Case = collections.namedtuple("Case", "name ids run expected limit before",
                              defaults=({}, 30, None))


def attempt(world, case):
    """Runs the case; then the victim must still serve a decent client."""
    if case.before:
        case.before(world)
    with world.counting(worlds.add(case.expected, worlds.GOOD)):
        case.run(world)
        world.good()


def run_all(report, world, cases):
    for case in cases:
        name = f"{case.name} ({case.ids})" if case.ids else case.name
        report.run(name, case.limit, attempt, world, case)
