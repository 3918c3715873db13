# SPDX-License-Identifier: GPL-2.0
"""A peer that breaks CLC in any way, and the host that must survive it."""
