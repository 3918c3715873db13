# SPDX-License-Identifier: GPL-2.0
"""Finds files of a floor, and functions, that use each other in a ring.

Room A (X.c, X.h and X_priv.h) uses room B of its floor if A names a function
or variable of B. A callback counts as a use too: a room that declares a struct
with a pointer to a function can call whatever is assigned to that pointer, so
it uses the room of that function. Such a table is left out if the allow list
has "callbacks HEADER:STRUCT" with its reason. A callback to a higher floor is
allowed and does not count.
"""

import re

from floors.source import FLOORS, ROOT

# number of rooms that may use each other in this floor; other floors have no
# cycles
LIMITS = {"conn": 3, "socket": 5}
RING_LIMIT = 2
ASSIGNED = re.compile(r"(?:->|\.)\s*(\w+)\s*=\s*&?\s*(\w+)\b(?!\s*\()")


def assignments(tree):
    """Yields (Struct, member, its Source, Source of the function, function)
    for each function that is put into a pointer of a struct of a floor.
    """
    for src in tree.sources.values():
        if src.floor() is None or tree.test_of(src):
            continue
        for m in ASSIGNED.finditer(src.code):
            target = tree.function(src, m.group(2))
            if target is None:
                continue
            for struct, member in tree.pointers.get(m.group(1), ()):
                # A struct of the kernel may have a member of that name.
                if tree.arguments(target, m.group(2)) == member.pointer:
                    yield (struct, member.name, tree.sources[struct.path],
                           target, m.group(2))


class Hidden:
    """The functions that can be called through tables without an exception."""

    def __init__(self, tree, allow):
        self.rooms = {}		# (room, room) -> why
        self.by_member = {}	# (member, floor) -> {(path, function)}
        for struct, member, owner, target, name in assignments(tree):
            if owner.floor() != target.floor() or \
               allow.has("callbacks", f"{struct.path}:{struct.name}"):
                continue
            key = (member, owner.floor())
            self.by_member.setdefault(key, set()).add((target.path, name))
            if owner.room != target.room:
                self.rooms.setdefault(
                    (owner.room, target.room),
                    f"struct {struct.name}.{member} = {name}")


def room_edges(tree, hidden):
    """Returns (room, room) -> one reason, within each floor."""
    edges = dict(hidden.rooms)
    for src in tree.on_floors():
        own = {f.name for f in src.functions}
        own.update(v.name for v in src.variables)
        for user, name, at in src.used_inside():
            if name in own:
                continue
            target = tree.global_functions.get(name) or \
                tree.global_variables.get(name)
            if target and target.folder == src.folder and \
               target.room != src.room:
                edges.setdefault((src.room, target.room),
                                 f"{src.path}:{src.line_of(at)} "
                                 f"{user} uses {name}")
    return edges


def function_edges(tree, hidden):
    """Returns (path, function) -> {(path, function)} that it calls."""
    edges = {}
    for src in tree.on_floors():
        arrays = {v.name: v.body for v in src.variables
                  if v.body and re.search(r"\(\s*\*", v.head)}
        for name, start, end in src.bodies():
            text = src.plain[start:end]
            calls = edges.setdefault((src.path, name), set())
            for m in re.finditer(r"(->|\.)?\s*\b([A-Za-z_]\w*)\s*([(\[])?",
                                 text):
                word = m.group(2)
                if m.group(1):
                    if m.group(3) == "(":
                        calls |= hidden.by_member.get((word, src.floor()),
                                                      set())
                elif word in arrays or (name in arrays and word != name):
                    target = tree.function(src, word)
                    calls.add((target.path if target else src.path, word))
                elif m.group(3) == "(":
                    target = tree.function(src, word)
                    if target:
                        calls.add((target.path, word))
    return edges


def rings(edges):
    """Returns strongly connected sets of more than one node, largest first."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(edges):
        if root in number:
            continue
        work = [(root, iter(sorted(edges[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for to in rest:
                if to not in edges:
                    continue
                if to not in number:
                    number[to] = low[to] = len(number)
                    stack.append(to)
                    on_stack.add(to)
                    work.append((to, iter(sorted(edges[to]))))
                    break
                if to in on_stack:
                    low[node] = min(low[node], number[to])
            else:
                work.pop()
                if work:
                    up = work[-1][0]
                    low[up] = min(low[up], low[node])
                if low[node] == number[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                    if len(part) > 1:
                        found.append(sorted(part))
    return sorted(found, key=lambda part: (-len(part), part))


def check(tree, allow, figure):
    hidden = Hidden(tree, allow)
    edges = room_edges(tree, hidden)
    for floor in FLOORS:
        folder = f"{ROOT}/{floor}"
        graph = {s.room: set() for s in tree.on_floors()
                 if s.folder == folder}
        for a, b in edges:
            if a in graph and b in graph:
                graph[a].add(b)
        found = rings(graph)
        said = []
        for part in found:
            said.append(f"{folder}: in a cycle: " + " ".join(
                room.split("/")[-1] for room in part))
            said += [f"{folder}:   {a.split('/')[-1]} -> {b.split('/')[-1]}: "
                     f"{why}" for (a, b), why in sorted(edges.items())
                     if a in part and b in part]
        figure("cycles", folder, len(found[0]) if found else 0,
               LIMITS.get(floor, 0), said)

    graph = function_edges(tree, hidden)
    found = rings(graph)
    for floor in FLOORS:
        folder = f"{ROOT}/{floor}"
        own = [part for part in found
               if any(path.startswith(folder + "/") for path, _ in part)]
        figure("rings", folder, len(own[0]) if own else 0, RING_LIMIT,
               [f"{folder}: call each other in a ring: " +
                " ".join(name for _, name in part)
                for part in own if len(part) > RING_LIMIT])
