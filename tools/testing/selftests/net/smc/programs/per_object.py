#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Makes a table of the cost of an operation for each object, in counts.

per_object.py row BEFORE AFTER OPERATION OBJECT NUMBER
    prints a row: the differences between two files of counters, for each of
    NUMBER objects
per_object.py flat TABLE OPERATION
    compares the last two rows of the operation: fails if in the later one,
    with more objects, any count per object is higher
per_object.py show TABLE
    prints the table in Markdown

A file of counters has lines of host, name and value; values of hosts add up.
"""

import sys

COUNTERS = ("FirstContacts", "GroupsEnded", "LlcSent", "CdcSent", "RdmaWrites",
            "RecordsSent", "Doorbells", "MemoryRegistrations", "RmbsAllocated")
# How many records share a doorbell depends on when the hosts run.
BY_CHANCE = "Doorbells"
MEMORY = "MemAvailable"
# Objects are not all alike: of the first groups, for example, fewer have a
# second RMB.
TOLERANCE = 1.1
NOISE = 0.02


def read(name):
    """Returns the sums of both hosts."""
    total = {}
    with open(name, encoding="ascii") as file:
        for line in file:
            counter, value = line.split()[1:3]
            total[counter] = total.get(counter, 0) + int(value)
    return total


def row(before, after, operation, what, number):
    """Memory is in KiB."""
    before, after, number = read(before), read(after), int(number)
    values = [(after[name] - before[name]) / number for name in COUNTERS]
    values.append((before[MEMORY] - after[MEMORY]) / number)
    print(operation, what, number, *(f"{value:.3f}" for value in values))


def rows(table):
    """Returns the rows as lists of words."""
    with open(table, encoding="ascii") as file:
        return [line.split() for line in file]


def flat(table, operation):
    """Memory, the last value, is not compared, because other parts of a host use
    it, too."""
    few, many = [r for r in rows(table) if r[0] == operation][-2:]
    print(*few)
    print(*many)
    sys.exit(any(float(large) > TOLERANCE * float(small) + NOISE
                 for name, small, large in zip(COUNTERS, few[3:], many[3:])
                 if name != BY_CHANCE))


def show(table):
    """One line for each row."""
    head = ("operation", "of each", "number", *COUNTERS, "memory, KiB")
    print("|", " | ".join(head), "|")
    print("|" + "---|" * 3 + "---:|" * (len(head) - 3))
    for words in rows(table):
        print("|", " | ".join(words).replace("_", " "), "|")


{"row": row, "flat": flat, "show": show}[sys.argv[1]](*sys.argv[2:])
