# SPDX-License-Identifier: GPL-2.0
"""Parses one C file: its declarations, definitions and uses."""

import collections
import os
import re

FLOORS = ("base", "wire", "transport", "group", "conn", "socket", "diag")
ABOVE_ALL = len(FLOORS)
ROOT = "net/smc"

IDENT = re.compile(r"[A-Za-z_]\w*")
NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "typeof",
                 "__attribute__", "__typeof__", "static_assert", "__acquires",
                 "__releases", "__must_hold", "__printf", "__aligned",
                 "defined", "do", "else"}

# at: offset of the name; body: (start, end) offsets between the braces
Function = collections.namedtuple(
    "Function", "name first last static at body arguments")
Variable = collections.namedtuple("Variable", "name static head body")
Struct = collections.namedtuple("Struct", "name path line members")
# pointer: types of the arguments if it points to a function, else None
Member = collections.namedtuple("Member", "name kind pointer")


class Source:
    """One C file, in which blanks replace comments, strings and directives."""

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
        self.functions = list(self._functions())
        self.variables = list(self._variables())

    @property
    def is_header(self):
        return self.path.endswith(".h")

    @property
    def folder(self):
        return os.path.dirname(self.path)

    @property
    def stem(self):
        """Returns the room: the file name without suffix; X_priv.h belongs to
        X."""
        stem = os.path.basename(self.path)[:-2]
        return stem[:-5] if self.is_header and stem.endswith("_priv") else stem

    @property
    def room(self):
        return f"{self.folder}/{self.stem}"

    def floor(self):
        """Returns the rank of the floor, None if the file is on no floor."""
        if not self.path.startswith(ROOT + "/"):
            return None
        room = self.path[len(ROOT) + 1:].split("/")[0]
        return FLOORS.index(room) if room in FLOORS else ABOVE_ALL

    def on_floor(self):
        return self.floor() not in (None, ABOVE_ALL)

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def comments(self):
        """Yields (text, line) of each comment."""
        for m in TOKEN.finditer(self.text):
            if m.group(0).startswith("/"):
                yield m.group(0), self.line_of(m.start())

    def _functions(self):
        for start, head, body, end in self.blocks:
            if body is None or re.match(
                    r"\s*(struct|union|enum|typedef)\b[^(]*$", head):
                continue
            found = call_name(head)
            if found is None or not re.search(
                    r"\)\s*(\w+\s*(\([^()]*\))?\s*)*$", head):
                continue
            yield Function(found[0], self.line_of(start + found[1]),
                           self.line_of(end),
                           re.search(r"\bstatic\b", head) is not None,
                           start + found[1], (end - len(body), end),
                           arguments(head[found[1] + len(found[0]):]))

    def _variables(self):
        """Yields definitions at file scope; body is None without an
        initialiser."""
        for start, head, body, end in self.blocks:
            made = re.match(r"\s*SMC_FSM_DEFINE\s*\(\s*(\w+)", head)
            if made:
                yield Variable(made.group(1), False, head, None)
                continue
            if re.search(r"\b(extern|typedef)\b", head) or \
               (body is not None and "=" not in head) or \
               (call_name(head) and not re.search(r"\(\s*\*", head)):
                continue
            left = re.sub(r"\b__\w+\b(\s*\([^()]*\))?", "",
                          head.split("=")[0])
            declarator = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$|"
                                   r"\(\s*\*\s*(?:const\s+)?(\w+)\s*"
                                   r"(\[[^\]]*\]\s*)*\)\s*\([^()]*\)\s*$",
                                   left)
            if declarator and re.search(r"\w[\s*]+\w", left):
                yield Variable(declarator.group(1) or declarator.group(3),
                               re.search(r"\bstatic\b", head) is not None,
                               head, body and (end - len(body), end))

    def macros(self):
        """Yields (name, at, (start, end) of the body) of #define NAME(...)."""
        for m in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)\("
                             r"[^)]*\)((?:\\\n|[^\n])*)", self.plain,
                             flags=re.M):
            yield m.group(1), m.start(1), (m.start(2), m.end(2))

    def prototypes(self):
        """Yields (name, line, is variable) of declarations without a
        definition."""
        for start, head, body, _ in self.blocks:
            if body is not None or re.search(r"\btypedef\b", head):
                continue
            found = call_name(head)
            if re.match(r"\s*(static_assert|SMC_FSM_DEFINE|DECLARE_\w+|"
                        r"DEFINE_\w+)\s*\(", head):
                continue
            if found:
                yield found[0], self.line_of(start + found[1]), False
            elif re.search(r"\bextern\b", head):
                last = IDENT.findall(re.sub(r"\[[^\]]*\]", "", head))[-1]
                yield last, self.line_of(start + head.rindex(last)), True

    def declared(self):
        """Returns the names that a header offers: functions, variables, macros
        with arguments.
        """
        names = {f.name for f in self.functions}
        names.update(name for name, _, _ in self.prototypes())
        names.update(name for name, _, _ in self.macros())
        return names

    def uses(self):
        """Yields (name, line) of every identifier in code and macro bodies."""
        body = re.sub(r"^[ \t]*#(?![ \t]*define)(?:\\\n|[^\n])*", blank,
                      self.plain, flags=re.M)
        for m in re.finditer(r"(->|\.)?\s*\b([A-Za-z_]\w*)", body):
            if not m.group(1):
                yield m.group(2), self.line_of(m.start(2))

    def bodies(self):
        """Yields (name, start, end) of functions, initialisers and macros."""
        for f in self.functions:
            yield (f.name, *f.body)
        for v in self.variables:
            if v.body:
                yield (v.name, *v.body)
        for name, _, span in self.macros():
            yield (name, *span)

    def used_inside(self):
        """Yields (user, name, at), like uses(), but without declarations."""
        for user, start, end in self.bodies():
            for m in re.finditer(r"(->|\.)?\s*\b([A-Za-z_]\w*)",
                                 self.plain[start:end]):
                if not m.group(1):
                    yield user, m.group(2), start + m.start(2)

    def includes(self):
        """Yields (file as written, line) of quoted includes."""
        for m in re.finditer(r"^[ \t]*#[ \t]*include[ \t]+\"([^\"\n]+)\"",
                             self.text, flags=re.M):
            if self.plain[m.start():m.end()].strip():  # not in a comment
                yield m.group(1), self.line_of(m.start())

    def structs(self):
        """Yields each struct with a name and a body, and each nested struct.
        The name of a nested struct without a tag is the name of the member.
        """
        for m in re.finditer(r"\b(?:struct|union)\s*(\w+)?\s*(?:__\w+\s*)*\{",
                             self.code):
            end = closing(self.code, m.end())
            tail = re.match(r"\s*(?:__\w+(?:\([^)]*\))?\s*)*(\w+)?",
                            self.code[end + 1:])
            name = m.group(1) or tail.group(1)
            if name:
                yield Struct(name, self.path, self.line_of(m.start()),
                             members(self.code[m.end():end]))


TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|"
                   r"'(?:\\.|[^'\\\n])*'", re.S)


def closing(code, at):
    """Returns the offset of the brace that closes the brace before @at."""
    depth = 1
    for m in re.finditer(r"[{}]", code[at:]):
        depth += 1 if m.group(0) == "{" else -1
        if not depth:
            return at + m.start()
    return len(code)


def members(body):
    """Returns the members of a struct."""
    # Nested structs are checked by themselves; members of a nested struct
    # without a name belong to the outer struct.
    flat = ""
    at = 0
    for m in re.finditer(r"\{", body):
        if m.start() < at:
            continue
        end = closing(body, m.end())
        flat += body[at:m.start()]
        if re.match(r"\s*(__\w+\s*)*;", body[end + 1:]):
            flat += ";" + body[m.end():end] + ";"
        at = end + 1
    flat += body[at:]
    if "{" in flat:
        return members(flat)
    found = []
    for line in flat.split(";"):
        pointer = re.search(r"\(\s*\*\s*(?:const\s+)?(\w+)\s*(?:\[[^\]]*\])?"
                            r"\s*\)\s*\(", line)
        made = re.match(r"\s*(DECLARE_\w+)\s*\(\s*(\w+)", line)
        if pointer:
            found.append(Member(pointer.group(1), "",
                                arguments(line[pointer.end() - 1:])))
        elif made:
            found.append(Member(made.group(2), made.group(1), None))
        else:
            line = re.sub(r"\[[^\]]*\]|__\w+(\([^)]*\))?|:\s*\d+", "", line)
            names = [IDENT.findall(part)[-1] for part in line.split(",")
                     if IDENT.findall(part)]
            first = IDENT.findall(line.split(",")[0])
            if len(first) > 1:
                found += [Member(name, " ".join(first[:-1]), None)
                          for name in names]
    return found


def arguments(text):
    """(int a, struct x *b) -> ["int", "struct x *"]: returns only
    the types."""
    depth, part, parts = 0, "", []
    for c in text[text.index("("):]:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 1 or depth == 0:
            parts.append(part)
            part = ""
            if depth == 0:
                break
        elif depth > 1 or c != "(":
            part += c
    types = []
    for part in parts:
        words = re.findall(r"\w+|\*", part)
        if len([w for w in words if w != "*"]) > 1 and words[-1] != "*":
            words.pop()
        types.append(" ".join(words))
    return types


def blank(match):
    """Returns spaces instead of the match, and keeps line ends."""
    return re.sub(r"[^\n]", " ", match.group(0))


def blank_comments(text):
    """Replaces comments by spaces, and also the contents of strings."""
    def one(match):
        s = match.group(0)
        if s.startswith("/"):
            return blank(match)
        return s[0] + re.sub(r"[^\n]", " ", s[1:-1]) + s[-1]

    return TOKEN.sub(one, text)


def blank_directives(text):
    """Replaces preprocessor lines by spaces, with their continuation lines."""
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
    """Returns (name, offset) of the function that a head declares or
    defines."""
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
