# SPDX-License-Identifier: GPL-2.0
"""The record of deep runs, with one entry per run, in a page that is
committed."""

import datetime
import os
import re
import subprocess

from checklib import TREE

PAGE = "Documentation/networking/smc/deep-runs.md"
ENDED = "tools/testing/deep/ended.txt"      # see ended.py
# A deep run changes these files.
WRITTEN = (PAGE, ENDED)
MARK = "<!-- newest first -->\n"
FUZZED = re.compile(r"fuzz, (\d+) executions")
TOTAL = re.compile(r"^In all runs together the fuzzers have executed .*$",
                   re.MULTILINE)


def git(*args):
    """Returns the output of a command of git, or None after a failure."""
    try:
        done = subprocess.run(["git", *args], cwd=TREE, check=False,
                              stdout=subprocess.PIPE, encoding="utf-8",
                              timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout


def unchanged():
    """Are all files, but those that a deep run writes, those of the commit?"""
    return git("status", "--porcelain", "--", ".",
               *(f":!{path}" for path in WRITTEN)) == ""


def commit():
    """Returns the tested commit, with "+" if files differ from it."""
    name = git("describe", "--always", "--abbrev=12")
    if name is None:
        return "unknown"
    return name.strip() + ("" if unchanged() else "+")


def replace(name, text):
    """Replaces a file of the tree, at once."""
    path = os.path.join(TREE, name)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + ".new", path)


def entry(report, stages, kernels, only, minutes, remarks):
    """Returns the entry of one run, as Markdown. kernels: empty if no stage
    uses one; remarks: sentences"""
    told = [f"The run had these stages: {', '.join(stages)}."]
    if kernels:
        told.append(f"It used these kernels: {', '.join(kernels)}.")
    if only:
        told.append(f"It used only scripts whose names contain {only}.")
    told += [*remarks, f"It took {minutes:.0f} min.",
             f"Its results are {report.summary()}."]
    points = [f"* {text}" for text in report.covered]
    points += [f"* failed: {name}" for name in report.failures()]
    lines = [f"## {datetime.date.today()}, {commit()}", "", " ".join(told)]
    return "\n".join(lines + ([""] + points if points else [])) + "\n\n"


def count(text):
    """Returns the page with the sum of the fuzzers' executions."""
    total = sum(int(number) for number in FUZZED.findall(text))
    return TOTAL.sub("In all runs together the fuzzers have executed "
                     f"{total:,} inputs.", text)


def write(report, stages, kernels, only, minutes, remarks):
    """Adds the entry of a run to the page. The parameters are those of
    entry()."""
    with open(os.path.join(TREE, PAGE), encoding="utf-8") as file:
        head, mark, tail = file.read().partition(MARK)
    if not mark:
        raise ValueError(f"{PAGE} has no place for a run")
    text = head + mark + "\n" + \
        entry(report, stages, kernels, only, minutes, remarks) + \
        tail.lstrip("\n")
    replace(PAGE, count(text))
