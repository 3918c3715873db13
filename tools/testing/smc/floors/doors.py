# SPDX-License-Identifier: GPL-2.0
"""Checks prototypes: their home, their name, and whether any file needs them.

The home of a function in X.c is one of these headers on the same floor: X.h,
X_priv.h, or the header of its family (hs.h for hs_client.c). The prototype of
a function that other floors use may be in the floor's own header instead
(transport/transport.h). A prototype has one home. The name of a prototype
begins with smc_, the room or its family, and an underscore. A room with
another prefix, or a name of its own, stands in the allow list as "names
FLOOR/ROOM:PREFIX" (with the underscore) or "names FLOOR/ROOM:NAME".
"""

import os
import re


LIMIT = re.compile(r"\b(SMC_\w+)\s*=")


def families(stem):
    """Returns x_y_z, x_y and x for x_y_z."""
    parts = stem.split("_")
    return ["_".join(parts[:n]) for n in range(len(parts), 0, -1)]


def definer(tree, name):
    return tree.global_functions.get(name) or tree.global_variables.get(name)


def users(tree):
    """Returns {name: paths of the files that use it, except tests}."""
    by_name = {}
    macros = {name for src in tree.on_floors() for name, _, _ in src.macros()}
    macros.update(m.group(1) for src in tree.on_floors()
                  if src.stem == "limits" for m in LIMIT.finditer(src.code))
    for src in tree.sources.values():
        if tree.test_of(src) or src.path.startswith("tools/testing/"):
            continue
        for _, name, _ in src.used_inside():
            by_name.setdefault(name, set()).add(src.path)
        for name, _ in src.uses():	# at file scope too
            if name in macros:
                by_name.setdefault(name, set()).add(src.path)
    return by_name


def homes(tree, fault):
    used = users(tree)
    declared = {}
    for src in tree.on_floors():
        if not src.is_header:
            continue
        for name, line, _ in src.prototypes():
            declared.setdefault(name, []).append((src, line))
    for name, places in sorted(declared.items()):
        target = definer(tree, name)
        for src, line in places:
            if target is None:
                if name.startswith("smc_"):
                    fault("homes", src.path, line, name,
                          f"{name} is declared, and defined nowhere")
                continue
            if target.folder == src.folder and \
               src.stem in families(target.stem):
                continue
            if target.folder == src.folder and \
               src.stem == os.path.basename(src.folder) and \
               any(os.path.dirname(path) != src.folder
                   for path in used.get(name, ())):
                continue
            fault("homes", src.path, line, name,
                  f"{name} of {target.path} is declared here")
        if target and len({src.path for src, _ in places}) > 1:
            src, line = places[-1]
            fault("homes", src.path, line, name,
                  f"{name} is declared in " + " and ".join(
                      sorted({s.path for s, _ in places})))


def names(tree, allow, fault):
    exported = {name for src in tree.on_floors() if src.is_header
                for name, _, _ in src.prototypes()}
    for src in tree.on_floors():
        entries = [(f.name, f.first) for f in src.functions
                   if (src.is_header or not f.static)]
        entries += [(v.name, 1) for v in src.variables
                    if not v.static and v.name in exported]
        for name, line in entries:
            if src.is_header and src.folder.endswith("/base") and \
               not name.startswith("smc_"):
                continue	# replacements of the core's own names
            if any(name == "smc_" + f or name.startswith(f"smc_{f}_")
                   for f in families(src.stem)):
                continue
            if not any(allow.has("names", f"{src.room}:{other}")
                       for other in [name] + [f + "_" for f in
                                              families(name)[1:]]):
                fault("names", src.path, line, name,
                      f"{name} does not tell its room, smc_{src.stem}_*")


def dead(tree, fault):
    """Returns the functions of a header that only its own file and
    tests use."""
    used = users(tree)
    for src in tree.on_floors():
        if not src.is_header:
            continue
        offers = [(name, line, definer(tree, name))
                  for name, line, _ in src.prototypes()]
        offers += [(f.name, f.first, src) for f in src.functions]
        offers += [(name, src.line_of(at), src)
                   for name, at, _ in src.macros()
                   if re.match(r"smc_", name, flags=re.I)]
        if src.stem == "limits":
            offers += [(m.group(1), src.line_of(m.start(1)), src)
                       for m in LIMIT.finditer(src.code)]
        for name, line, target in offers:
            if target is None:
                continue
            others = used.get(name, set()) - {target.path}
            if target is src:	# an inline, a macro, a constant
                others = {path for path in used.get(name, ())} - {src.path}
                text = src.plain
                if len(re.findall(rf"\b{name}\b", text)) > 1:
                    others.add(src.path)
            if not others:
                fault("dead", src.path, line, name,
                      f"{name} is offered and no other file uses it")


def statics(tree, fault):
    """Returns static functions that have the same name in a backtrace."""
    where = {}
    for src in tree.on_floors():
        if src.is_header:
            continue
        for f in src.functions:
            if f.static:	# under #if there may be two in a file
                where.setdefault(f.name, {})[src] = f.first
    for name, places in sorted(where.items()):
        for src, line in places.items():
            if len(places) > 1:
                others = " ".join(s.path for s in places if s is not src)
                fault("statics", src.path, line, name,
                      f"{name} is also a function of {others}")
            elif "_" not in name:
                fault("statics", src.path, line, name,
                      f"{name} says nothing in a backtrace: wants a noun")


