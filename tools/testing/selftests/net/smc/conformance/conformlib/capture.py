# SPDX-License-Identifier: GPL-2.0
"""."""


def cases():
    return []
