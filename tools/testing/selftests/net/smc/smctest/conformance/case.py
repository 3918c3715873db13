# SPDX-License-Identifier: GPL-2.0
"""An entry in the lists of tests of this package."""

import collections

from smctest.conformance.peer import CLIENT, SERVER

# run(bench): runs one test. expected: required changes of counters. A slow test
# returns the function that finishes it; the suite calls that function after the
# given number of seconds.
Case = collections.namedtuple("Case", "name ids run expected slow limit",
                              defaults=({}, 0, 30))


def both(name, ids, run, **more):
    """Yields the case twice, once for each role of the module."""
    for module in (SERVER, CLIENT):
        yield Case(f"{name}, {module}", ids,
                   lambda bench, m=module: run(bench, m), **more)
