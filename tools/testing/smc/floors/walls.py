# SPDX-License-Identifier: GPL-2.0
"""Checks floors: calls to a higher floor, the place of tables and suites, and
the place of code that reads or writes bytes of messages."""

import os
import re

from floors.source import ABOVE_ALL, FLOORS, IDENT, ROOT

# Functions that turn numbers into bytes of a message, and the parts of wire/
# for one version of the protocol only. Other floors call the functions that
# take the version as argument.
CODING = re.compile(
    r"\b(?:(?:__)?cpu_to_[bl]e\d\d\w*|(?:__)?[bl]e\d\d_to_cpu\w*|hton[sl]l?|"
    r"ntoh[sl]l?|(?:get|put)_unaligned\w*|swab\d\d\w*|__packed|"
    r"smc_(?:rd|wr)_\w+|smc_llc_v2_\w+|SMC_LLC_V2_\w+|"
    r"smc_llc_(?:en|de)code_\w+)\b")
# The names that variables have when they point to the bytes of a message.
MESSAGE = re.compile(r"(?<!\w)(?:\w+(?:->|\.))*(?:buf|msg|message|data|bytes|b)"
                     r"\s*\[(?!\s*\])")
DECLARED = re.compile(r"(?:\bu8|\bchar)\s*\*?\s*$")


def includes(tree, fault):
    for src in tree.sources.values():
        floor = src.floor()
        if floor is None:
            continue
        for name, line in src.includes():
            target = tree.resolve(src, name)
            if target is None or target.floor() <= floor:
                continue
            fault("includes", src.path, line, name,
                  f"includes {target.path}, a floor above")


def offered(tree):
    """Returns {name: lowest floor that defines it}, for names of floors."""
    defined, declared_on = {}, {}
    for src in tree.on_floors():
        floor = src.floor()
        if src.is_header:
            for name in src.declared():
                declared_on[name] = min(floor, declared_on.get(name, floor))
        for f in src.functions:
            if src.is_header or not f.static:
                defined[f.name] = min(floor, defined.get(f.name, floor))
    return {**declared_on, **defined}


def calls(tree, fault):
    have = offered(tree)
    for src in tree.sources.values():
        floor = src.floor()
        if floor is None:
            continue
        own = {f.name for f in src.functions if f.static}
        seen = set()
        for name, line in src.uses():
            if have.get(name, -1) <= floor or name in own or name in seen:
                continue
            seen.add(name)
            fault("calls", src.path, line, name,
                  f"uses {name} of {FLOORS[have[name]]}, a floor above")


def tables(tree, fault):
    for src in tree.on_floors():
        if src.path.endswith("_fsm.c"):
            continue
        for m in re.finditer(r"\bSMC_FSM_DEFINE\b", src.code):
            fault("tables", src.path, src.line_of(m.start()), "",
                  "SMC_FSM_DEFINE outside a *_fsm.c")


def suites(tree, fault):
    tests = {path: src for path, src in tree.sources.items()
             if os.path.dirname(path) == ROOT + "/tests" and
             src.floor() == ABOVE_ALL}
    main = tests.pop(ROOT + "/tests/main.c", None)
    listed = set(IDENT.findall(main.code)) if main else set()
    for path, src in tests.items():
        for m in re.finditer(r"^struct\s+kunit_suite\s+(\w+)\s*=", src.code,
                             flags=re.M):
            if m.group(1) not in listed:
                fault("suites", path, src.line_of(m.start()), "",
                      f"{m.group(1)} is not in main.c: never run")


def coding(tree, fault):
    """Only wire/ may read and write bytes of messages."""
    for src in tree.on_floors():
        if src.folder == ROOT + "/wire" or "/tests/" in src.path:
            continue
        for name, line in src.includes():
            if os.path.basename(name) == "bytes.h":
                fault("bytes", src.path, line, name, f"includes {name}")
        for m in CODING.finditer(src.code):
            fault("bytes", src.path, src.line_of(m.start()), m.group(0),
                  f"{m.group(0)}: bytes of the wire, outside of wire/")
        if src.is_header:
            continue
        for m in MESSAGE.finditer(src.code):
            name = m.group(0).rstrip("[ ")
            if not DECLARED.search(src.code[:m.start()]):
                fault("bytes", src.path, src.line_of(m.start()), name,
                      f"{name}[...]: a byte of a message, outside of wire/")
