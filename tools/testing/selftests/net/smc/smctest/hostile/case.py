# SPDX-License-Identifier: GPL-2.0
"""An entry in the lists of tests of this package."""

import collections

from smctest import world as worlds

# expected: required changes of the victim's counters, without the changes by a
# good connection; limit: seconds; before: a function that runs first, and whose
# changes of counters do not matter
Case = collections.namedtuple("Case", "name ids run expected limit before",
                              defaults=({}, 120, None))


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
