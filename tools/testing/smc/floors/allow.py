# SPDX-License-Identifier: GPL-2.0
"""The list of exceptions. Lines are

  RULE  PATH[:NAME]  reason in words
  RULE  PATH  =N  reason in words

The first form allows one finding. The second allows N findings below PATH, or a
figure of N for it. N must equal the current count, so it can only fall.
"""

import os
import re

REASON_WORDS_MIN = 3


class Allow:
    def __init__(self, path, rules):
        self.path = path
        self.single = {}	# (rule, key) -> where
        self.counted = {}	# (rule, path) -> (number, where)
        self.faults = []
        self.used = set()
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for number, line in enumerate(f, 1):
                    self._read(line, f"{os.path.basename(path)}:{number}",
                               rules)

    def _read(self, line, where, rules):
        words = line.split("#")[0].split()
        if not words:
            return
        if words[0] not in rules or len(words) < 2:
            self.faults.append(f"{where}: want RULE PATH[:NAME] [=N] reason")
            return
        number = re.fullmatch(r"=(\d+)", words[2]) if len(words) > 2 else None
        reason = words[3:] if number else words[2:]
        if len(reason) < REASON_WORDS_MIN:
            self.faults.append(f"{where}: no reason")
        elif number:
            self.counted[words[0], words[1]] = (int(number[1]), where)
        else:
            self.single[words[0], words[1]] = where

    def has(self, rule, key):
        """Is there an exception for key? If so, marks the exception
        as needed."""
        if (rule, key) not in self.single:
            return False
        self.used.add((rule, key))
        return True

    def number(self, rule, key):
        """Returns the allowed number of findings."""
        return self.counted.get((rule, key), (0, ""))[0]

    def number_for(self, rule, path):
        """Returns the counted entry that applies to a path, or None."""
        for at in self.counted:
            if at[0] == rule and (path == at[1] or
                                  path.startswith(at[1] + "/")):
                return at
        return None

    def not_needed(self, figures):
        """Returns lines that are out of date; figures: (rule, path)
        -> count."""
        for at in sorted(set(self.single) - self.used):
            yield f"{self.single[at]}: {' '.join(at)} is not needed any more"
        for at, (number, where) in sorted(self.counted.items()):
            there = figures.get(at, 0)
            if not there:
                yield f"{where}: {' '.join(at)} is not needed any more"
            elif there < number:
                yield (f"{where}: {' '.join(at)} is down to {there}: "
                       "check_floors.py --lower")

    def lower(self, figures):
        """Writes the list with current numbers and without unneeded entries.
        """
        with open(self.path, encoding="utf-8") as f:
            lines = f.readlines()
        with open(self.path, "w", encoding="utf-8") as f:
            for line in lines:
                at = tuple(line.split("#")[0].split()[:2])
                if at in self.single and at not in self.used:
                    continue
                if at in self.counted:
                    there = figures.get(at, 0)
                    if not there:
                        continue
                    if there < self.counted[at][0]:
                        line = re.sub(r"=\d+", f"={there}", line, count=1)
                f.write(line)
