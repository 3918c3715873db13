# SPDX-License-Identifier: GPL-2.0
"""The benchmark driver: pairs of lab hosts, items to measure, reports."""


class BenchError(Exception):
    """A measurement that gives no result; the exception has the reason."""
