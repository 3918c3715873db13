#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Checks that net/smc keeps to its floors and its sizes; prints KTAP.

usage: check_floors.py [TOP]

A floor is a directory of net/smc. It may use itself and the floors below it;
going up happens only through a callback table handed down. Checked are

  includes      no #include of a header of a floor above
  calls         no use of a function or variable that a floor above declares
                in a header, or defines, wherever it is declared
  files         .c files of at most 700 lines
  headers       .h files of at most 200 lines
  functions     functions of at most 80 lines, from name to closing brace
  tables        SMC_FSM_DEFINE only in *_fsm.c, where the tests find it
  suites        every KUnit suite of tests/ is listed in tests/main.c
  allow_list    every exception has a reason and is still needed

main.c and tests/ stand above all floors. Exceptions are lines of
floors_allow.txt beside this script:

  RULE  PATH[:NAME]  reason in words

PATH is relative to the top of the tree; NAME is the function for "functions",
the symbol for "calls" and the included file for "includes".
"""

import os
import re
import sys

FLOORS = ("base", "wire", "transport", "group", "conn", "socket", "diag")
ABOVE_ALL = len(FLOORS)
ROOT = "net/smc"
SIZED = (ROOT, "tools")
LIMITS = {"files": 700, "headers": 200, "functions": 80}
RULES = ("includes", "calls", "files", "headers", "functions", "tables",
         "suites")
REASON_WORDS_MIN = 3

IDENT = re.compile(r"[A-Za-z_]\w*")
NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "typeof",
                 "__attribute__", "__typeof__", "static_assert", "__acquires",
                 "__releases", "__must_hold", "__printf", "__aligned",
                 "defined", "do", "else"}


class Source:
    """One C file, with comments, strings and directives blanked out."""

    def __init__(self, top, path):
        self.path = path
        with open(os.path.join(top, path), encoding="utf-8",
                  errors="replace") as f:
            self.text = f.read()
        self.lines = self.text.count("\n") + (not self.text.endswith("\n")
                                              and self.text != "")
        self.plain = blank_comments(self.text)
        self.code = blank_directives(self.plain)
        self.blocks = top_level(self.code)

    @property
    def is_header(self):
        return self.path.endswith(".h")

    def floor(self):
        """Rank of the floor, None if the file is on none."""
        if not self.path.startswith(ROOT + "/"):
            return None
        room = self.path[len(ROOT) + 1:].split("/")[0]
        return FLOORS.index(room) if room in FLOORS else ABOVE_ALL

    def line_of(self, offset):
        return self.code.count("\n", 0, offset) + 1


def blank(match):
    """Spaces instead of the match, line ends kept."""
    return re.sub(r"[^\n]", " ", match.group(0))


def blank_comments(text):
    """Comments become spaces, and the inside of strings too."""
    def one(match):
        s = match.group(0)
        if s.startswith("/"):
            return blank(match)
        return s[0] + re.sub(r"[^\n]", " ", s[1:-1]) + s[-1]

    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|"
                  r"'(?:\\.|[^'\\\n])*'", one, text, flags=re.S)


def blank_directives(text):
    """Preprocessor lines become spaces, with the lines that continue them."""
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", blank, text, flags=re.M)


def top_level(code):
    """Splits file scope into (start, head, body or None, end).

    A head is the text before a '{' or ';' outside all braces; a body is what
    stands between the braces. Raises ValueError for unbalanced braces.
    """
    blocks = []
    depth = start = open_at = parens = 0
    for m in re.finditer(r"[{};()]", code):
        c, at = m.group(0), m.start()
        if depth == 0 and c in "()":
            parens += 1 if c == "(" else -1
        elif c == "{":
            if depth == 0:
                open_at = at
            depth += 1
        elif c == "}":
            depth -= 1
            if depth < 0:
                raise ValueError("a '}' too many")
            if depth == 0 and parens == 0:
                blocks.append((start, code[start:open_at],
                               code[open_at + 1:at], at))
                start = at + 1
        elif c == ";" and depth == 0 and parens == 0:
            blocks.append((start, code[start:at], None, at))
            start = at + 1
    if depth:
        raise ValueError("a '}' is missing")
    return blocks


def call_name(head):
    """(name, offset) of the function that a head declares or defines."""
    depth = 0
    for m in re.finditer(r"([A-Za-z_]\w*)?\s*([()=])", head):
        if m.group(2) == "=" and depth == 0:
            return None
        if m.group(2) == ")":
            depth -= 1
            continue
        if m.group(2) == "(":
            if depth == 0 and m.group(1) and m.group(1) not in NOT_FUNCTIONS:
                return m.group(1), m.start(1)
            depth += 1
    return None


def functions(src):
    """Yields (name, first line, last line, is static) of each definition."""
    for start, head, body, end in src.blocks:
        if body is None or re.match(r"\s*(struct|union|enum|typedef)\b[^(]*$",
                                    head):
            continue
        found = call_name(head)
        if found is None or not re.search(r"\)\s*(\w+\s*(\([^()]*\))?\s*)*$",
                                          head):
            continue
        yield (found[0], src.line_of(start + found[1]), src.line_of(end),
               re.search(r"\bstatic\b", head) is not None)


def declared(src):
    """Names that a header offers: functions, variables, macros with arguments."""
    names = {name for name, _, _, _ in functions(src)}
    for _, head, body, _ in src.blocks:
        if body is not None or re.search(r"\btypedef\b", head):
            continue
        found = call_name(head)
        if found:
            names.add(found[0])
        elif re.search(r"\bextern\b", head):
            last = IDENT.findall(re.sub(r"\[[^\]]*\]", "", head))
            names.add(last[-1])
    names.update(re.findall(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)\(",
                            src.plain, flags=re.M))
    return names


def uses(src):
    """Yields (name, line) of every identifier in code and in macro bodies."""
    body = re.sub(r"^[ \t]*#(?![ \t]*define)(?:\\\n|[^\n])*", blank,
                  src.plain, flags=re.M)
    for m in re.finditer(r"(->|\.)?\s*\b([A-Za-z_]\w*)", body):
        if not m.group(1):
            yield m.group(2), body.count("\n", 0, m.start(2)) + 1


def includes(src):
    """Yields (file as written, line) of quoted includes."""
    for m in re.finditer(r"^[ \t]*#[ \t]*include[ \t]+\"([^\"\n]+)\"",
                         src.text, flags=re.M):
        if src.plain[m.start():m.end()].strip():  # not in a comment
            yield m.group(1), src.text.count("\n", 0, m.start()) + 1


class Checker:
    def __init__(self, top, allow_path):
        self.top = top
        self.faults = {rule: [] for rule in RULES + ("allow_list", "sources")}
        self.sources = {}
        self.allowed = {}
        self.used = set()
        self.read_allow(allow_path)
        for base in SIZED:
            self.read_tree(base)

    def fault(self, rule, path, line, name, text):
        """Records a finding unless the allow list has it."""
        key = (rule, path + (":" + name if name else ""))
        if key in self.allowed:
            self.used.add(key)
            return
        self.faults[rule].append(f"{path}:{line}: {text}")

    def read_allow(self, path):
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                words = line.split("#")[0].split()
                if not words:
                    continue
                where = f"{os.path.basename(path)}:{number}"
                if words[0] not in RULES or len(words) < 2:
                    self.faults["allow_list"].append(
                        f"{where}: want RULE PATH[:NAME] reason")
                elif len(words) - 2 < REASON_WORDS_MIN:
                    self.faults["allow_list"].append(f"{where}: no reason")
                else:
                    self.allowed[(words[0], words[1])] = where

    def read_tree(self, base):
        for folder, folders, names in os.walk(os.path.join(self.top, base)):
            folders.sort()
            for name in sorted(names):
                # Kbuild's .mod.c files are nobody's rooms.
                if not re.search(r"\.[ch]$", name) or ".mod." in name:
                    continue
                path = os.path.relpath(os.path.join(folder, name), self.top)
                try:
                    self.sources[path] = Source(self.top, path)
                except ValueError as e:
                    self.faults["sources"].append(f"{path}: {e}")
        if base == ROOT and not any(s.floor() is not None and
                                    s.floor() < ABOVE_ALL
                                    for s in self.sources.values()):
            self.faults["sources"].append(f"no floor found under {base}")

    def check_includes(self):
        for src in self.sources.values():
            floor = src.floor()
            if floor is None:
                continue
            for name, line in includes(src):
                target = self.resolve(src, name)
                if target is None or target.floor() <= floor:
                    continue
                self.fault("includes", src.path, line, name,
                           f"includes {target.path}, a floor above")

    def resolve(self, src, name):
        for base in (os.path.dirname(src.path), ROOT):
            target = self.sources.get(os.path.normpath(os.path.join(base,
                                                                    name)))
            if target is not None and target.floor() is not None:
                return target
        return None

    def offered(self):
        """name -> lowest floor that really has it, for names of floors."""
        defined, declared_on = {}, {}
        for src in self.sources.values():
            floor = src.floor()
            if floor is None or floor == ABOVE_ALL:
                continue
            if src.is_header:
                for name in declared(src):
                    declared_on[name] = min(floor,
                                            declared_on.get(name, floor))
                defs = functions(src)
            else:
                defs = (d for d in functions(src) if not d[3])
            for name, _, _, _ in defs:
                defined[name] = min(floor, defined.get(name, floor))
        return {**declared_on, **defined}

    def check_calls(self):
        offered = self.offered()
        for src in self.sources.values():
            floor = src.floor()
            if floor is None:
                continue
            own = {name for name, _, _, static in functions(src) if static}
            seen = set()
            for name, line in uses(src):
                if offered.get(name, -1) <= floor or name in own or \
                   name in seen:
                    continue
                seen.add(name)
                self.fault("calls", src.path, line, name,
                           f"uses {name} of {FLOORS[offered[name]]}, "
                           "a floor above")

    def check_sizes(self):
        for src in self.sources.values():
            rule = "headers" if src.is_header else "files"
            if src.lines > LIMITS[rule]:
                self.fault(rule, src.path, src.lines, "",
                           f"{src.lines} lines, limit {LIMITS[rule]}")
            for name, first, last, _ in functions(src):
                length = last - first + 1
                if length > LIMITS["functions"]:
                    self.fault("functions", src.path, first, name,
                               f"{name} has {length} lines, limit "
                               f"{LIMITS['functions']}")

    def check_tables(self):
        for src in self.sources.values():
            if src.floor() is None or src.floor() == ABOVE_ALL or \
               src.path.endswith("_fsm.c"):
                continue
            for m in re.finditer(r"\bSMC_FSM_DEFINE\b", src.code):
                self.fault("tables", src.path, src.line_of(m.start()), "",
                           "SMC_FSM_DEFINE outside a *_fsm.c")

    def check_suites(self):
        tests = {path: src for path, src in self.sources.items()
                 if os.path.dirname(path) == ROOT + "/tests"}
        main = tests.pop(ROOT + "/tests/main.c", None)
        listed = set(IDENT.findall(main.code)) if main else set()
        for path, src in tests.items():
            for m in re.finditer(r"^struct\s+kunit_suite\s+(\w+)\s*=",
                                 src.code, flags=re.M):
                if m.group(1) not in listed:
                    self.fault("suites", path, src.line_of(m.start()), "",
                               f"{m.group(1)} is not in main.c: never run")

    def check_allow(self):
        for key in sorted(set(self.allowed) - self.used):
            self.faults["allow_list"].append(
                f"{self.allowed[key]}: {' '.join(key)} is not needed any more")

    def run(self):
        self.check_includes()
        self.check_calls()
        self.check_sizes()
        self.check_tables()
        self.check_suites()
        self.check_allow()

    def report(self):
        """Prints KTAP, returns the exit status."""
        order = ("sources",) + RULES + ("allow_list",)
        bad = 0
        print("KTAP version 1")
        print(f"1..{len(order)}")
        for number, rule in enumerate(order, 1):
            for text in self.faults[rule]:
                print(f"# {text}")
            bad += bool(self.faults[rule])
            word = "not ok" if self.faults[rule] else "ok"
            print(f"{word} {number} {rule}")
        return 1 if bad else 0


def main(argv):
    here = os.path.dirname(os.path.abspath(__file__))
    if len(argv) > 2:
        print("usage: check_floors.py [TOP]", file=sys.stderr)
        return 2
    top = argv[1] if len(argv) == 2 else os.path.join(here, "../../..")
    if not os.path.isdir(os.path.join(top, ROOT)):
        print(f"{top}: no {ROOT} there", file=sys.stderr)
        return 2
    allow = os.path.join(top, "tools/testing/smc/floors_allow.txt")
    checker = Checker(top, allow)
    checker.run()
    return checker.report()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
