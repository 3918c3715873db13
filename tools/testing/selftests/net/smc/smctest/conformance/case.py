# SPDX-License-Identifier: GPL-2.0
"""A test as the lists of this package hold it."""

import collections

from smctest.conformance.peer import CLIENT, SERVER

# run(bench): one test. expected: how counters have to move. A slow one returns
# the function that finishes it, which is called when so many seconds are over.
Case = collections.namedtuple("Case", "name ids run expected slow limit",
                              defaults=({}, 0, 30))


def both(name, ids, run, **more):
    """The same with the module in each role."""
    for module in (SERVER, CLIENT):
        yield Case(f"{name}, {module}", ids,
                   lambda bench, m=module: run(bench, m), **more)
