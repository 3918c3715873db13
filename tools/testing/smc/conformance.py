#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Documentation/networking/smc/conformance.md from the tests.

    conformance.py            write the page
    conformance.py --check    is it current, and is every MUST accounted for?

requirements.txt has the requirements of RFC 7609. A test cites the ID of a
requirement (R-3.5.1.2-03) at the assertion that fails if the requirement is not
met. conformance_cites.py defines that for each language, and the meaning of an
ID at another place. deviations.txt gives the reason for each requirement that
is not met, or met but not tested: one line with ID, kind and reason.
"""

import argparse
import collections
import os
import re
import sys

import conformance_cites
from conformance_cites import TREE

HERE = os.path.dirname(os.path.realpath(__file__))
PAGE = "Documentation/networking/smc/conformance.md"
LEVELS = ("MUST", "SHOULD", "MAY")
KINDS = ("deviation", "by design", "not tested")
HEAD = """\
<!-- SPDX-License-Identifier: GPL-2.0 -->
<!-- Written by tools/testing/smc/conformance.py; do not edit. -->

# Conformance to RFC 7609

{summary}

This page lists each requirement of the RFC in a few words, with the tests that
show it, or with the reason why there is no test. The levels follow from the
wording of the RFC. Section L lists what deployed peers need in addition to the
RFC.

A test shows a requirement if an assertion names it and fails when the
requirement is not met. An entry has the file of the tests, and in brackets
their functions, or in shell scripts the names of the checks. Files are below
`tools/testing/` and `net/smc/tests/`. "Deviation" means that a requirement is
not met, or not met as written; tests may show a part of it. "By design" means
that the structure of the code meets the requirement, so that no test could
fail. "Not tested" means that it is met according to a reading of the code.
"""

Requirement = collections.namedtuple("Requirement",
                                     "id section level who text")


# -- reading -------------------------------------------------------------

def requirements(path=os.path.join(HERE, "requirements.txt")):
    """Returns ([Requirement], {section: title})."""
    found, titles, section = [], {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            head = re.match(r"\[(\S+)\] *(.*)", line)
            if head:
                section = head[1]
                titles[section] = head[2].strip()
            elif line.startswith("R-"):
                words = line.split(None, 3)
                found.append(Requirement(words[0], section, words[1],
                                         words[2], words[3].strip()))
    return found, titles


def deviations(path=os.path.join(HERE, "deviations.txt")):
    """Returns ({ID: (kind, reason)}, [errors in the file])."""
    found, wrong = {}, []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            got = re.match(r"(R-\S+)  *(" + "|".join(KINDS) + r"): (\S.*)",
                           line)
            if not got:
                wrong.append(f"deviations.txt:{number}: "
                             "not \"ID KIND: reason\"")
            elif got[1] in found:
                wrong.append(f"deviations.txt:{number}: {got[1]} again")
            else:
                found[got[1]] = got[2], got[3].strip()
    return found, wrong


def tests(found):
    """Returns {ID: {file: {tests}}} of the citations at assertions."""
    out = collections.defaultdict(lambda: collections.defaultdict(set))
    for one in found:
        if one.shows:
            out[one.id][one.path].add(one.test)
    return out


# -- the page ------------------------------------------------------------

def _short(path):
    for prefix in ("tools/testing/selftests/net/smc/", "tools/testing/",
                   "net/smc/"):
        if path.startswith(prefix):
            return path[len(prefix):]
    return path


def _tests(shown):
    out = []
    for path, names in sorted(shown.items()):
        known = sorted({name.replace("|", "/") for name in names if name})
        out.append(f"`{_short(path)}`" + (
            f" ({'; '.join(known)})" if known else ""))
    return ", ".join(out)


def kind_of(row, shown, reasons):
    """Returns the kind of a requirement in the counts; a reason in
    deviations.txt has priority over tests."""
    if row.id in reasons:
        return reasons[row.id][0]
    return "shown" if row.id in shown else "none"


def count(rows, shown, reasons):
    """Returns {(level, kind): number of rows}."""
    return collections.Counter((row.level, kind_of(row, shown, reasons))
                               for row in rows)


WORDS = {"shown": "are shown by tests", "deviation": "are deviations",
         "by design": "are met by design", "not tested": "are not tested",
         "none": "have no test"}


def summary(counts):
    """Returns the first sentence of the page."""
    must = {kind: counts["MUST", kind] for kind in WORDS}
    said = ", ".join(f"{number} {WORDS[kind]}"
                     for kind, number in must.items() if number)
    return f"Of {sum(must.values())} requirements that are a MUST, {said}."


def page(rows, titles, shown, reasons):
    """Returns the whole text of the page."""
    counts = count(rows, shown, reasons)
    lines = [HEAD.replace("{summary}", summary(counts))]
    kinds = ("shown", *KINDS, "none")
    lines.append("| level | rows | " + " | ".join(kinds) + " |\n|---|---|" +
                 "---|" * len(kinds))
    for level in LEVELS:
        parts = [counts[level, kind] for kind in kinds]
        lines.append(f"| {level} | {sum(parts)} | " +
                     " | ".join(map(str, parts)) + " |")
    section = None
    for row in rows:
        if row.section != section:
            section = row.section
            lines.append(f"\n## {section} {titles[section]}\n\n"
                         "| ID | level | what | shown by |\n|---|---|---|---|")
        said = _tests(shown.get(row.id, {}))
        if row.id in reasons:
            kind, why = reasons[row.id]
            said = f"*{kind}:* {why}" + (said and f"<br>in part: {said}")
        lines.append(f"| {row.id} | {row.level} | {row.text} | "
                     f"{said or '-'} |")
    return "\n".join(lines) + "\n"


def complaints(rows, found, reasons):
    """Returns the errors in the inputs."""
    known = {row.id for row in rows}
    shown = tests(found)
    for one in found:
        where = f"{one.path}:{one.place}"
        if one.id not in known:
            yield f"{where}: {one.id}: no such requirement"
        elif one.id not in shown and one.id not in reasons:
            yield f"{where}: {one.id} is mentioned, and no assertion has it"
    for name in sorted(set(reasons) - known):
        yield f"deviations.txt: {name}: no such requirement"
    for name in sorted(set(reasons) & set(shown)):
        if reasons[name][0] != "deviation":
            yield (f"deviations.txt: {name} is \"{reasons[name][0]}\", and "
                   f"shown in {', '.join(shown[name])}")
    for row in rows:
        if row.level == "MUST" and kind_of(row, shown, reasons) == "none":
            yield f"{row.id} is a MUST with neither test nor reason"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    rows, titles = requirements()
    reasons, wrong = deviations()
    found, bad = conformance_cites.citations()
    text = page(rows, titles, tests(found), reasons)
    wrong += bad
    wrong += complaints(rows, found, reasons)
    path = os.path.join(TREE, PAGE)
    if not args.check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(summary(count(rows, tests(found), reasons)))
    else:
        with open(path, encoding="utf-8") as file:
            if file.read() != text:
                wrong.append(f"{PAGE} is stale: run "
                             f"{os.path.relpath(__file__)}")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
