# SPDX-License-Identifier: GPL-2.0
"""The scripts on hosts that had no failure in deep runs of one tree. All of them
take hours, so they may be divided among several runs. The file is committed with
the record of a run."""

import hashlib
import os
import time

from checklib import TREE, labs, record, selftest

INTRO = """# SPDX-License-Identifier: GPL-2.0
# Written by "scripts/check --deep": the scripts on hosts that had no failure in
# deep runs of one tree. "scripts/check --deep --rest" leaves them out.
"""


def tree_name():
    """Returns a name for all files but those that a run writes, or "" if they
    differ from the commit, or if this is no repository."""
    files = record.git("ls-tree", "-r", "HEAD")
    if files is None or not record.unchanged():
        return ""
    found = [line for line in files.splitlines()
             if line.partition("\t")[2] not in record.WRITTEN]
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:12]


def names(tree):
    """Returns the names in the file, if they belong to this tree."""
    with open(os.path.join(TREE, record.ENDED), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line[0] != "#"]
    return set(lines[1:]) if lines[:1] == [f"tree {tree}"] else set()


def add(tree, fine, bad):
    """Adds scripts that had no failure on this tree, removes those that had one,
    and forgets another tree. Returns all names of this tree."""
    every = (names(tree) | fine) - bad
    record.replace(record.ENDED, INTRO + f"tree {tree}\n" +
                   "".join(f"{name}\n" for name in sorted(every)))
    return every


def everything():
    """Returns the names of all scripts on hosts. KUnit counts as one for each
    kernel."""
    found = set()

    def skip(name):
        found.add(name)
        return True

    stages = {stage for stage, *_ in labs.PARTS.values()}
    for kernel, parts in labs.lanes(stages, labs.DEEP_KERNELS, True):
        labs.Lane(selftest.Silent(), kernel, parts, True, skip=skip).run()
    return found


class Part:
    """A deep run, which may be a part of the deep runs of its tree."""

    def __init__(self, rest=False, minutes=None):
        """rest: leave out what has ended before; minutes: begin no script after
        this time"""
        self.tree = tree_name()
        self._begun = time.monotonic()
        self._limit = minutes
        self._done = names(self.tree) if rest else set()
        self._left_out, self._late = set(), set()

    def minutes(self):
        """Returns the time since the run began."""
        return (time.monotonic() - self._begun) / 60

    def skip(self, name):
        """Must this script not run?"""
        if name in self._done:
            self._left_out.add(name)
            return True
        if self._limit is not None and self.minutes() > self._limit:
            self._late.add(name)
            return True
        return False

    def end(self, report, stopped):
        """Keeps the scripts that had no failure. Returns sentences for the record,
        of scripts on hosts only if one has ended. stopped: the run was stopped
        before its end"""
        told = []
        if stopped:
            told.append("Stopped before the end; ended by then: "
                        f"{', '.join(report.ended)}.")
        if self._left_out:
            told.append(f"{len(self._left_out)} scripts had ended before.")
        if self._late:
            told.append(f"No time for {len(self._late)} scripts.")
        if self.tree and self.tree == tree_name():
            fine = add(self.tree, report.fine, report.bad)
            if report.fine or report.bad:
                every = everything()
                told.append(f"In all deep runs of this tree, {len(fine & every)} "
                            f"of the {len(every)} scripts on hosts have passed.")
        return told
