# SPDX-License-Identifier: GPL-2.0
"""A peer that breaks the rules of CLC, and a host that must survive that."""
