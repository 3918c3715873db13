# SPDX-License-Identifier: GPL-2.0
"""A peer that speaks CLC as it likes, and the host that has to bear it."""
