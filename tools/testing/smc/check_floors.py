#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks that net/smc keeps to its floors, its rooms and its sizes: KTAP.

usage: check_floors.py [--list RULE[:PATH]] [--lower] [TOP]

A floor is a directory of net/smc. A floor may use itself and the floors below
it; it calls a higher floor only through a callback table of the higher floor. A
room is X.c with its X.h. These are the rules:

  includes      no #include of a header of a floor above
  calls         no use of a function or variable that a floor above declares
                in a header, or defines, wherever it is declared
  cycles        no rooms of one floor that use each other in a ring; being
                called through a table counts ("callbacks" lists exceptions)
  rings         no ring of more than 2 functions that call each other
  homes         a prototype is in the header of its room, and nowhere else
  names         smc_<room>_verb for what a room exports
  dead          a header offers nothing that no other file uses
  statics       a static function has a name of its own, with a noun
  files         .c files of at most 900 lines
  headers       .h files of at most 400 lines
  functions     functions of at most 80 lines, from name to closing brace
  members       structs of at most 25 members
  flags         at most 10 bool members in the objects of group/
  bytes         no byte of a message is read, written or counted outside of wire/
  tables        SMC_FSM_DEFINE only in *_fsm.c, where the tests find it
  suites        every KUnit suite of tests/ is listed in tests/main.c
  cites         comments and pages name only what the tree has: functions,
                files, and X-nn, Y-nn and F-nn of the page that explains
                them; a test cites each F-nn
  kernel-doc    no warning of scripts/kernel-doc
  allow_list    every exception has a reason and is still needed

main.c and tests/ stand above all floors. Exceptions are lines of
floors_allow.txt beside this script, which floors/allow.py explains. --list
shows the findings that the exceptions hide, for one rule and below one path.
--lower reduces the numbers in the list to the current numbers.
"""

import argparse
import os
import sys

import ktap
from floors import cycles, doors, sizes, walls, words
from floors.allow import Allow
from floors.source import ROOT
from floors.tree import Tree

RULES = ("includes", "calls", "cycles", "rings", "homes", "names", "dead",
         "statics", "files", "headers", "functions", "members", "flags",
         "bytes", "tables", "suites", "cites", "kernel-doc")
ALLOW = "tools/testing/smc/floors_allow.txt"


class Checker:
    def __init__(self, top):
        self.allow = Allow(os.path.join(top, ALLOW), RULES + ("callbacks",))
        self.tree = Tree(top)
        self.faults = {rule: [] for rule in RULES}
        self.faults["sources"] = self.tree.faults
        self.faults["allow_list"] = self.allow.faults
        self.hidden = []	# (rule, text) that the list allows
        self.figures = {}	# (rule, path) -> number above the limit
        self.seen = {}		# the same, including figures within the limit
        self.waiting = {}	# counted findings, of entries of the list
        self.skipped = {}

    def fault(self, rule, path, line, name, text):
        """Reports a finding, unless the allow list contains it."""
        text = f"{path}:{line}: {text}"
        if self.allow.has(rule, path + (":" + name if name else "")):
            self.hidden.append((rule, text))
            return
        at = self.allow.number_for(rule, path)
        if at:
            self.waiting.setdefault(at, []).append(text)
        else:
            self.faults[rule].append(text)

    def figure(self, rule, path, there, limit, said):
        """Checks that a number is within its limit, or within that of the allow
        list."""
        self.seen[rule, path] = there
        self.figures[rule, path] = there if there > limit else 0
        if there <= limit:
            self.hidden += [(rule, text) for text in said]
            return
        if there > self.allow.number(rule, path):
            self.faults[rule] += said + [f"{path}: {there}, limit {limit}"]
        else:
            self.hidden += [(rule, text) for text in said]

    def settle(self):
        """Reports findings for which the list has a number: all of them, if
        there are more."""
        for at, texts in self.waiting.items():
            self.figures[at] = self.seen[at] = len(texts)
            if len(texts) > self.allow.number(*at):
                self.faults[at[0]] += texts + [
                    f"{at[1]}: {len(texts)}, allowed {self.allow.number(*at)}"]
            else:
                self.hidden += [(at[0], text) for text in texts]

    def run(self):
        tree, fault, figure = self.tree, self.fault, self.figure
        walls.includes(tree, fault)
        walls.calls(tree, fault)
        walls.coding(tree, fault)
        walls.tables(tree, fault)
        walls.suites(tree, fault)
        cycles.check(tree, self.allow, figure)
        doors.homes(tree, fault)
        doors.names(tree, self.allow, fault)
        doors.dead(tree, fault)
        doors.statics(tree, fault)
        sizes.lines(tree, fault)
        sizes.members(tree, figure)
        sizes.flags(tree, self.allow, figure)
        words.cites(tree, fault)
        why = words.kernel_doc(tree, fault)
        if why:
            self.skipped["kernel-doc"] = why
            self.figures.update({at: number for at, (number, _) in
                                 self.allow.counted.items()
                                 if at[0] == "kernel-doc"})
        self.settle()
        self.faults["allow_list"] += self.allow.not_needed(self.figures)

    def report(self):
        """Prints KTAP. Returns the exit status."""
        order = ("sources",) + RULES + ("allow_list",)
        report = ktap.Report(len(order))
        for rule in order:
            said = list(self.faults[rule])
            allowed = [f"{path.replace(ROOT + '/', '')} {there}"
                       for (which, path), there in sorted(self.seen.items())
                       if which == rule]
            if allowed:
                said.append(f"{rule}: {', '.join(allowed)}")
            if rule in self.skipped and not self.faults[rule]:
                report.note("\n".join(said))
                report.skip(rule, self.skipped[rule])
            else:
                report.result(not self.faults[rule], rule, "\n".join(said))
        return report.finish()

    def show(self, what):
        """Prints the findings that the list hides."""
        rule, _, path = what.partition(":")
        for which, text in self.hidden:
            if which == rule and text.startswith(path):
                print(text)
        return 0


def main(argv):
    parser = argparse.ArgumentParser(
        usage="%(prog)s [--list RULE[:PATH]] [--lower] [TOP]")
    parser.add_argument("--list", metavar="RULE[:PATH]")
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("top", nargs="?", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../../.."))
    args = parser.parse_args(argv[1:])
    if not os.path.isdir(os.path.join(args.top, ROOT)):
        print(f"{args.top}: no {ROOT} there", file=sys.stderr)
        return 2
    checker = Checker(os.path.normpath(args.top))
    checker.run()
    if args.list:
        return checker.show(args.list)
    if args.lower:
        checker.allow.lower(checker.figures)
        return 0
    return checker.report()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
