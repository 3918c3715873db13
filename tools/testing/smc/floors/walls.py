# SPDX-License-Identifier: GPL-2.0
"""Floors: what goes up, and where tables and suites are."""

import os
import re

from floors.source import ABOVE_ALL, FLOORS, IDENT, ROOT


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
    """name -> lowest floor that really has it, for names of floors."""
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
