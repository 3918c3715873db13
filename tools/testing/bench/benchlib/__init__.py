# SPDX-License-Identifier: GPL-2.0
"""The benchmark driver: starts pairs of lab hosts, measures items, and writes
reports."""


class BenchError(Exception):
    """The measurement has no result. The exception says why."""
