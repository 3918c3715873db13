# SPDX-License-Identifier: GPL-2.0
"""Checks the number of lines, of members of a struct, and of flags."""

from floors.source import ROOT

LIMITS = {"files": 900, "headers": 400, "functions": 80, "members": 25,
          "flags": 10}
FLAGGED = ROOT + "/group"


def lines(tree, fault):
    for src in tree.sized():
        rule = "headers" if src.is_header else "files"
        if src.lines > LIMITS[rule]:
            fault(rule, src.path, src.lines, "",
                  f"{src.lines} lines, limit {LIMITS[rule]}")
        for f in src.functions:
            length = f.last - f.first + 1
            if length > LIMITS["functions"]:
                fault("functions", src.path, f.first, f.name,
                      f"{f.name} has {length} lines, limit "
                      f"{LIMITS['functions']}")


def members(tree, figure):
    """A struct inside a struct counts as one member, and has the same limit
    itself."""
    for src in tree.on_floors():
        for struct in src.structs():
            if len(struct.members) > LIMITS["members"]:
                figure("members", f"{src.path}:{struct.name}",
                       len(struct.members), LIMITS["members"],
                       [f"{src.path}:{struct.line}: struct {struct.name} has "
                        f"{len(struct.members)} members"])


def flags(tree, allow, figure):
    """Counts the bool members of all objects of the group floor."""
    said = []
    for src in tree.on_floors():
        if src.folder != FLAGGED:
            continue
        for struct in src.structs():
            found = [m.name for m in struct.members
                     if m.kind.split()[-1:] == ["bool"]]
            if found and not allow.has("flags",
                                       f"{src.path}:{struct.name}"):
                said += [f"{src.path}:{struct.line}: struct {struct.name}: "
                         f"bool {name}" for name in found]
    figure("flags", FLAGGED, len(said), LIMITS["flags"], said)
