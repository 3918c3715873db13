#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Documentation/networking/smc/conformance.md from the tests.

    conformance.py            write the page
    conformance.py --check    is it current, and is every MUST accounted for?

requirements.txt holds what RFC 7609 asks for. A test says which of it it
shows by its ID (R-3.5.1.2-03) in the test's source: in its name, or in a
comment in front of it or in it. deviations.txt says why a requirement is not
met, or met and not shown by a test: one line each, ID and reason.
"""

import argparse
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
TREE = os.path.join(HERE, "../../..")
PAGE = "Documentation/networking/smc/conformance.md"
# R-A.3-01, and in short what follows: R-A.3-01, -02, and R-A.3-01..05.
ID = re.compile(r"\b(R-(?:[A-Z]|[0-9]+)(?:\.[0-9]+)*-)([0-9]{2})\b"
                r"((?:,[\s*\"]*-[0-9]{2}\b|\.\.[0-9]{2}\b)*)")
# Where tests are; what is beside them and cites IDs is no test.
PLACES = ("net/smc/tests", "tools/testing", "tools/smc_run/tests",
          "tools/smcss/tests")
SUFFIXES = (".c", ".h", ".py", ".sh")
NOT_TESTS = ("tools/testing/smc/conformance.py",
             "tools/testing/smc/conformance_test.py")
HEAD = """\
<!-- SPDX-License-Identifier: GPL-2.0 -->
<!-- Written by tools/testing/smc/conformance.py; do not edit. -->

# Conformance to RFC 7609

Each requirement of the RFC, in a few words, with the tests that show it, or
why there is none. Levels are those that the wording of the RFC implies.
Section L is what deployed peers need beside the RFC. Tests are named by file
and, behind it, by case or function; files are below `tools/testing/` and
`net/smc/tests/`. "Deviation" is a requirement that is not met, or not met as
written; "by design" one that is met by what the code is, so that no test could
fail; "not tested" one that is met as far as reading goes.
"""

Requirement = collections.namedtuple("Requirement",
                                     "id section level who text")


# -- reading -------------------------------------------------------------

def requirements(path=os.path.join(HERE, "requirements.txt")):
    """([Requirement], {section: title})."""
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


KINDS = ("deviation", "by design", "not tested")


def deviations(path=os.path.join(HERE, "deviations.txt")):
    """({ID: (kind, reason)}, [what is wrong with the file])."""
    found, wrong = {}, []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            got = re.match(r"(R-\S+)  *(" + "|".join(KINDS) + r"): (\S.*)",
                           line)
            if not got:
                wrong.append(f"deviations.txt:{number}: not \"ID KIND: reason\"")
            elif got[1] in found:
                wrong.append(f"deviations.txt:{number}: {got[1]} again")
            else:
                found[got[1]] = got[2], got[3].strip()
    return found, wrong


def sources():
    """Test files, relative to the tree."""
    for place in PLACES:
        for directory, _, names in os.walk(os.path.join(TREE, place)):
            for name in names:
                path = os.path.relpath(os.path.join(directory, name), TREE)
                if name.endswith(SUFFIXES) and path not in NOT_TESTS:
                    yield path


C_FUNCTION = re.compile(r"^(?:static )?(?:\w+ )+\**(\w+)\(", re.MULTILINE)
PY_CASE = re.compile(r"(?:Case|both)\(\s*f?\"([^\"]+)\"|"
                     r"^\s*\(f?\"([^\"]+)\",", re.MULTILINE)
PY_FUNCTION = re.compile(r"^def (\w+)\(", re.MULTILINE)


def _before(pattern, text, at):
    """The last match that begins before a place: (name, where)."""
    name, where = None, -1
    for got in pattern.finditer(text, 0, at):
        name, where = next(one for one in got.groups() if one), got.start()
    return name, where


def _c_name(text, at):
    """The function that a comment is in, or that follows it."""
    name, where = _before(C_FUNCTION, text, at)
    if where < 0 and at < text.find("#include"):
        return None         # what the whole file is about
    body = text.find("\n}\n", where) if where >= 0 else -1
    if where >= 0 and (body < 0 or at < body):
        return name
    follows = C_FUNCTION.search(text, at)
    return follows[1] if follows else name


def _py_name(text, at):
    case, place = _before(PY_CASE, text, at)
    function, where = _before(PY_FUNCTION, text, at)
    if case and place > where or function in ("cases", None):
        return case
    return function


def name_of(path, text, at):
    """What the test is called that an ID at this place belongs to."""
    if path.endswith((".c", ".h")):
        return _c_name(text, at)
    if path.endswith(".py"):
        return _py_name(text, at)
    return None


def ids_in(text):
    """Every ID that is cited, and where: (ID, offset)."""
    for got in ID.finditer(text):
        stem, last = got[1], int(got[2])
        yield got[0][:len(stem) + 2], got.start()
        for sign, digits in re.findall(r"(-|\.\.)([0-9]{2})", got[3]):
            begin = last + 1 if sign == ".." else int(digits)
            last = int(digits)
            for number in range(begin, last + 1):
                yield f"{stem}{number:02}", got.start()


def citations():
    """{ID: {file: {names}}}."""
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for path in sorted(sources()):
        with open(os.path.join(TREE, path), encoding="utf-8") as file:
            text = file.read()
        for name, at in ids_in(text):
            found[name][path].add(name_of(path, text, at))
    return found


# -- the page ------------------------------------------------------------

def _short(path):
    for prefix in ("tools/testing/selftests/net/smc/", "tools/testing/",
                   "net/smc/"):
        if path.startswith(prefix):
            return path[len(prefix):]
    return path


def _clean(name):
    """A name that has blanks to fill in shows them as dots."""
    return re.sub(r"\{[^}]*\}", "..", name).replace("|", "/").strip(" ,")


def _tests(cited):
    out = []
    for path, names in sorted(cited.items()):
        known = sorted({_clean(name) for name in names if name})
        out.append(f"`{_short(path)}`" + (
            f" ({'; '.join(known)})" if known else ""))
    return ", ".join(out)


def page(rows, titles, cited, reasons):
    """The whole text."""
    lines = [HEAD]
    counts = collections.Counter()
    for row in rows:
        kind = reasons.get(row.id, ("none", ""))[0]
        if row.id in cited:
            kind = "tested"
        counts[row.level, kind] += 1
    lines.append("| level | " + " | ".join(("rows", "tested", *KINDS)) +
                 " | none |\n|---|" + "---|" * (len(KINDS) + 3))
    for level in ("MUST", "SHOULD", "MAY"):
        parts = [counts[level, kind] for kind in ("tested", *KINDS, "none")]
        lines.append(f"| {level} | {sum(parts)} | " +
                     " | ".join(map(str, parts)) + " |")
    section = None
    for row in rows:
        if row.section != section:
            section = row.section
            lines.append(f"\n## {section} {titles[section]}\n\n"
                         "| ID | level | what | shown by |\n|---|---|---|---|")
        shown = _tests(cited.get(row.id, {}))
        if row.id in reasons:
            kind, why = reasons[row.id]
            shown += ("<br>" if shown else "") + f"*{kind}:* {why}"
        lines.append(f"| {row.id} | {row.level} | {row.text} | "
                     f"{shown or '-'} |")
    return "\n".join(lines) + "\n"


def complaints(rows, cited, reasons):
    """What must not be."""
    known = {row.id for row in rows}
    for name in sorted(set(cited) - known):
        yield f"{name}, cited in {', '.join(cited[name])}: no such requirement"
    for name in sorted(set(reasons) - known):
        yield f"{name} in deviations.txt: no such requirement"
    for name in sorted(set(reasons) & set(cited)):
        if reasons[name][0] != "deviation":
            yield (f"{name} is \"{reasons[name][0]}\" in deviations.txt, and "
                   f"cited in {', '.join(cited[name])}")
    for row in rows:
        if row.level == "MUST" and row.id not in cited and \
           row.id not in reasons:
            yield f"{row.id} is a MUST with neither test nor deviation"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    rows, titles = requirements()
    reasons, wrong = deviations()
    cited = citations()
    text = page(rows, titles, cited, reasons)
    wrong += complaints(rows, cited, reasons)
    path = os.path.join(TREE, PAGE)
    if not args.check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        with open(path, encoding="utf-8") as file:
            if file.read() != text:
                wrong.append(f"{PAGE} is stale: run {os.path.relpath(__file__)}")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
