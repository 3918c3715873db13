# SPDX-License-Identifier: GPL-2.0
"""Parts of check_floors.py.

source    one file of C: what it declares, defines and uses
tree      all files, and who defines a name
allow     the list of exceptions
walls     floors: includes, calls, tables, suites
cycles    files of a floor and functions that use each other in a ring
doors     prototypes: their home, their name, whether somebody needs them
sizes     lines, members of a struct, flags
words     comments: what they cite, kernel-doc
"""
