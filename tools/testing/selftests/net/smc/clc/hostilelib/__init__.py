# SPDX-License-Identifier: GPL-2.0
"""A peer that speaks CLC as it likes, and the host that has to bear it."""


class Failure(Exception):
    """What was expected did not happen."""


class Skip(Exception):
    """The test cannot be done here; says why."""


def check(condition, text):
    """Fail with text unless the condition holds."""
    if not condition:
        raise Failure(text)
