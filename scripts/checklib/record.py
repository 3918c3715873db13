# SPDX-License-Identifier: GPL-2.0
"""The record of deep runs, with one entry per run, in a page that is
committed."""

import datetime
import os
import re
import subprocess

from checklib import TREE

PAGE = "Documentation/networking/smc/deep-runs.md"
MARK = "<!-- newest first -->\n"
FUZZED = re.compile(r"fuzz, (\d+) executions")
TOTAL = re.compile(r"^Executions of the fuzzers in all runs together: .*$",
                   re.MULTILINE)


def commit():
    """Returns the tested commit, with "+" if files differ from it."""
    done = subprocess.run(["git", "describe", "--always", "--abbrev=12",
                           "--dirty=+"], cwd=TREE, check=False,
                          stdout=subprocess.PIPE, encoding="utf-8",
                          timeout=60)
    return done.stdout.strip() or "unknown"


def entry(report, stages, kernels, only, minutes, whole):
    """Returns the entry of one run, as Markdown."""
    some = f"Only scripts whose names contain {only}. " if only else ""
    end = "" if whole else \
        f"Stopped before the end; ended by then: {', '.join(report.ended)}. "
    lines = [f"## {datetime.date.today()}, {commit()}", "",
             f"Stages: {' '.join(stages)}. Kernels: {' '.join(kernels)}. {some}"
             f"{end}{minutes:.0f} minutes. {report.summary()}.", ""]
    lines += [f"* {text}" for text in report.covered]
    lines += [f"* failed: {name}" for name in report.failures()]
    return "\n".join(lines) + "\n\n"


def write(report, stages, kernels, only, minutes, whole):
    """Adds the entry of a run to the page. whole: the run was not stopped."""
    path = os.path.join(TREE, PAGE)
    with open(path, encoding="utf-8") as file:
        head, mark, tail = file.read().partition(MARK)
    if not mark:
        raise ValueError(f"{PAGE} has no place for a run")
    text = head + mark + "\n" + \
        entry(report, stages, kernels, only, minutes, whole) + tail.lstrip("\n")
    total = sum(int(number) for number in FUZZED.findall(text))
    text = TOTAL.sub("Executions of the fuzzers in all runs together: "
                     f"{total:,}.", text)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + ".new", path)
