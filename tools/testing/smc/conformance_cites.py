# SPDX-License-Identifier: GPL-2.0
"""Finds the requirements that tests cite, and whether the citation is at an
assertion.

A test shows a requirement if its ID is at a statement that fails if the
requirement is not met: in the statement, or in the comment directly above it.

    Python  a simple statement of a function that raises Failure, or calls a
            function that does so
    C       a statement with KUNIT_EXPECT_..., KUNIT_ASSERT_..., KUNIT_FAIL or
            fail(), or with a macro or function that has one
    shell   a line with check, fail or relay, or with a function that has one

If one assertion serves all rows of a table, "rows of NAME" at the assertion
means the IDs in the table of that name in the same file. At any other place
(head of a file, before a function, list of cases) an ID is only a mention and
shows nothing.
"""

import ast
import collections
import os
import re

HERE = os.path.dirname(os.path.realpath(__file__))
TREE = os.path.join(HERE, "../../..")
# Matches R-A.3-01, and the short forms after it: R-A.3-01, -02, and
# R-A.3-01..05.
ID = re.compile(r"\b(R-(?:[A-Z]|[0-9]+)(?:\.[0-9]+)*-)([0-9]{2})\b"
                r"((?:,[\s*#\"]*-[0-9]{2}\b|\.\.[0-9]{2}\b)*)")
# A rule of the extension (frames.rst); check_floors.py requires a test of each.
RULE = re.compile(r"\bF-[0-9]{2}\b")
ROWS = re.compile(r"\brows of ((?:\w+)(?:(?:, | and )\w+)*)")
# Directories that contain tests; a citation in another file does not count as a
# test.
PLACES = ("net/smc/tests", "tools/testing", "tools/smc_run/tests",
          "tools/smcss/tests")
SUFFIXES = (".c", ".h", ".py", ".sh")
NOT_TESTS = "tools/testing/smc/"

# place: line, from 1; shows: is the citation at an assertion? If so, test: the
# function or name of the test, first and last: its lines, with the comment
# above it.
Citation = collections.namedtuple(
    "Citation", "id path place shows test first last", defaults=(None, 0, 0))


def ids_in(text):
    """Yields every cited ID: (ID, offset)."""
    for got in ID.finditer(text):
        stem, last = got[1], int(got[2])
        yield got[0][:len(stem) + 2], got.start()
        for sign, digits in re.findall(r"(-|\.\.)([0-9]{2})", got[3]):
            begin = last + 1 if sign == ".." else int(digits)
            last = int(digits)
            for number in range(begin, last + 1):
                yield f"{stem}{number:02}", got.start()


def closure(calls, base):
    """Returns the names from which one of base is reached; calls: {name:
    names}."""
    found = set(base)
    grows = True
    while grows:
        grows = False
        for name, called in calls.items():
            if name not in found and found & called:
                found.add(name)
                grows = True
    return found


class Source:
    """A file with tests; line numbers begin at 1."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.lines = text.split("\n")

    def calls(self):
        """Returns {function: the functions that it calls}, and names that fail
        by themselves."""
        raise NotImplementedError

    def statements(self, fails):
        """Returns (first line, last line, test) of each statement that may
        fail."""
        raise NotImplementedError

    def table(self, name):
        """Returns (first line, last line) of a table, or None."""
        raise NotImplementedError

    def above(self, line):
        """Returns the first line of the comment directly above a line, or the
        line."""
        raise NotImplementedError

    def piece(self, first, last):
        return "\n".join(self.lines[first - 1:last])

    def citations(self, fails):
        """Returns the citations of the file: ([Citation], [errors])."""
        shown, wrong = {}, []       # line: (test, first, last)
        for first, last, test in self.statements(fails):
            first = self.above(first)
            ranges = [(first, last)]
            for got in ROWS.finditer(self.piece(first, last)):
                for name in re.split(r", | and ", got[1]):
                    ranges.append(self.table(name))
                    if ranges[-1] is None:
                        wrong.append(f"{self.path}:{first}: no table {name}")
                        ranges.pop()
                    elif not (any(ids_in(self.piece(*ranges[-1]))) or
                              RULE.search(self.piece(*ranges[-1]))):
                        wrong.append(f"{self.path}:{first}: no ID in {name}")
            for begin, end in ranges:
                for line in range(begin, end + 1):
                    shown.setdefault(line, (test, first, last))
        found = []
        for name, at in ids_in(self.text):
            line = self.text.count("\n", 0, at) + 1
            found.append(Citation(name, self.path, line, line in shown,
                                  *shown.get(line, ())))
        return found, wrong


# -- Python --------------------------------------------------------------

SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return,
          ast.Raise, ast.Assert)
ERRORS = {"Failure", "AssertionError"}
DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _walk(node):
    """Works like ast.walk(), but does not enter definitions of functions."""
    todo = [node]
    while todo:
        one = todo.pop()
        yield one
        todo += [child for child in ast.iter_child_nodes(one)
                 if not isinstance(child, (*DEFS, ast.ClassDef, ast.Lambda))]


def _called(node):
    """Returns the names of called functions; "raise" for a statement that
    raises a failure."""
    names = set()
    for one in _walk(node):
        if isinstance(one, ast.Call):
            names.add(getattr(one.func, "id", getattr(one.func, "attr", "")))
        if isinstance(one, ast.Assert) or isinstance(one, ast.Raise) and \
           _called(one.exc or ast.Pass()) & ERRORS:
            names.add("raise")
    return names


class Python(Source):
    """A Python file. Its statements are the simple statements that the Python
    compiler finds."""

    base = ("raise",)

    def __init__(self, path, text):
        super().__init__(path, text)
        self.tree = ast.parse(text)

    def calls(self):
        out = {}
        for top in self.tree.body:
            inner = top.body if isinstance(top, ast.ClassDef) else [top]
            for one in inner:
                if isinstance(one, DEFS):
                    out.setdefault(one.name, set()).update(_called(one))
        return out

    def statements(self, fails):
        for top in self.tree.body:
            room = isinstance(top, ast.ClassDef)
            for one in top.body if room else [top]:
                test = getattr(one, "name", None)
                if test and room:
                    test = f"{top.name}.{test}"
                for node in ast.walk(one) if test else ():
                    if not isinstance(node, SIMPLE) or not \
                       _called(node) & fails:
                        continue
                    if any(isinstance(part, (ast.Yield, ast.YieldFrom))
                           for part in ast.walk(node)):
                        continue        # a list of cases
                    yield node.lineno, node.end_lineno, test

    def table(self, name):
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and \
               getattr(node.targets[0], "id", None) == name:
                return node.lineno, node.end_lineno
        return None

    def above(self, line):
        while self.lines[line - 2].lstrip().startswith("#") and line > 1:
            line -= 1
        return line


# -- C -------------------------------------------------------------------

C_TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|"
                     r"'(?:\\.|[^'\\])*'|^#(?:\\\n|[^\n])*|[;{}()]",
                     re.DOTALL | re.MULTILINE)
C_DEFINE = re.compile(r"^#[ \t]*define[ \t]+(\w+)\(((?:\\\n|[^\n])*)",
                      re.MULTILINE)
C_FUNCTION = re.compile(r"^(?:static )?(?:\w+ )+\**(\w+)\(", re.MULTILINE)
C_CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
C_BASE = re.compile(r"KUNIT_(?:EXPECT|ASSERT|FAIL)\w*|fail")


class C(Source):
    """A C file. A statement is the text between two of ; { } outside
    parentheses."""

    base = ()

    def _functions(self):
        """Yields (name, first character, last character) of each function,
        with its body."""
        for got in C_FUNCTION.finditer(self.text):
            end = self.text.find("\n}", got.start())
            brace = self.text.find("\n{", got.start())
            semicolon = self.text.find(";", got.start())
            if end < 0 or not 0 <= brace < min(end, semicolon):
                continue
            yield got[1], got.start(), end

    @staticmethod
    def _names(text):
        return {"fails" if C_BASE.fullmatch(name) else name
                for name in C_CALL.findall(text)}

    def calls(self):
        out = {}
        for got in C_DEFINE.finditer(self.text):
            out.setdefault(got[1], set()).update(self._names(got[2]))
        for name, first, last in self._functions():
            out.setdefault(name, set()).update(
                self._names(self.text[first:last]) - {name})
        return out

    def _pieces(self):
        """Yields (first code character, the ; at its end) of each
        statement."""
        depth, begin = 0, None
        at = 0
        for got in C_TOKEN.finditer(self.text):
            gap = re.search(r"\S", self.text[at:got.start()])
            if begin is None and gap:
                begin = at + gap.start()
            at = got.end()
            token = got[0]
            if token[:2] in ("/*", "//"):
                continue
            if token[0] == "#":
                begin = None
                continue
            if token in "()":
                depth += 1 if token == "(" else -1
            if depth or token not in (";", "{", "}"):
                begin = got.start() if begin is None else begin
                continue
            if token == ";" and begin is not None:
                yield begin, got.start()
            begin = None

    def statements(self, fails):
        functions = list(self._functions())
        for first, last in self._pieces():
            if not self._names(self.text[first:last]) & fails:
                continue
            inside = [name for name, begin, end in functions
                      if begin < first < end]
            if inside:      # not a declaration
                yield (self.text.count("\n", 0, first) + 1,
                       self.text.count("\n", 0, last) + 1, inside[-1])

    def table(self, name):
        got = re.search(rf"\b{name}\[[^\]]*\] = \{{", self.text)
        if not got:
            return None
        end = re.compile(r"^\t?\};", re.MULTILINE).search(self.text, got.end())
        return (self.text.count("\n", 0, got.start()) + 1,
                self.text.count("\n", 0, end.start()) + 1)

    def above(self, line):
        at = line - 1
        if at and self.lines[at - 1].rstrip().endswith("*/"):
            while at and "/*" not in self.lines[at - 1]:
                at -= 1
            # A comment after code belongs to that code.
            if at and self.lines[at - 1].lstrip().startswith("/*"):
                return at
        return line


# -- shell ---------------------------------------------------------------

SH_FUNCTION = re.compile(r"^(\w+)\(\) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
SH_WORD = re.compile(r"(?:^|[;&|!({)]|\b(?:then|else|do|if|while|until)\b|"
                     r"\b\w+=(?:\S+|\"[^\"]*\")(?= ))[ \t]*([A-Za-z_]\w*)"
                     r"(?=[ \t]|$)", re.MULTILINE)


class Shell(Source):
    """A shell file. A statement is a line together with its continuation
    lines."""

    base = ("check", "fail", "relay")

    @staticmethod
    def _words(text):
        code = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
        return set(SH_WORD.findall(code))

    def calls(self):
        return {got[1]: self._words(got[2])
                for got in SH_FUNCTION.finditer(self.text)}

    def statements(self, fails):
        for number, line in enumerate(self.lines, 1):
            if line.lstrip().startswith("#"):
                continue
            if self._words(line) & fails:
                last = number
                while self.lines[last - 1].endswith("\\"):
                    last += 1
                said = re.search(r"\"([^\"]*)\"", self.piece(number, last))
                yield number, last, said and re.sub(
                    r"\$\w+|\$\{[^}]*\}|\$\(.*", "..", said[1])

    def table(self, name):
        return None

    above = Python.above


KINDS = {".py": Python, ".c": C, ".h": C, ".sh": Shell}


def paths(tree=TREE):
    """Returns the test files, relative to the tree."""
    found = set()
    for place in PLACES:
        for directory, _, names in os.walk(os.path.join(tree, place)):
            for name in names:
                path = os.path.relpath(os.path.join(directory, name), tree)
                if name.endswith(SUFFIXES) and not path.startswith(NOT_TESTS):
                    found.add(path)
    return sorted(found)


def read(texts):
    """Returns ([Citation], [errors]); texts: {path: content}."""
    sources = [KINDS[os.path.splitext(path)[1]](path, text)
               for path, text in sorted(texts.items())]
    fails = {}
    for kind in set(KINDS.values()):
        calls = collections.defaultdict(set)
        for source in sources:
            if isinstance(source, kind):
                for name, called in source.calls().items():
                    calls[name] |= called
        fails[kind] = closure(calls, {"fails", *kind.base})
    found, wrong = [], []
    for source in sources:
        cited, bad = source.citations(fails[type(source)])
        found += cited
        wrong += bad
    return found, wrong


def citations(tree=TREE):
    texts = {}
    for path in paths(tree):
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            texts[path] = file.read()
    return read(texts)
