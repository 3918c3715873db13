# SPDX-License-Identifier: GPL-2.0
"""Reads all files, and finds the file that defines a name."""

import os
import re

from floors.source import ABOVE_ALL, ROOT, Source

SIZED = (ROOT, "tools")
SKIPPED = {"build", "__pycache__", ".git"}


class Tree:
    def __init__(self, top):
        self.top = top
        self.sources = {}
        self.faults = []
        for base in SIZED + ("include",):
            self._read(base)
        if not self.on_floors():
            self.faults.append(f"no floor found under {ROOT}")
        self._index()

    def _read(self, base):
        for path in self.files(base):
            # Skips the .mod.c files, which Kbuild generates.
            if not re.search(r"\.[ch]$", path) or ".mod." in path:
                continue
            try:
                self.sources[path] = Source(self.top, path)
            except ValueError as e:
                self.faults.append(f"{path}: {e}")

    def files(self, base="."):
        """Returns the paths of all files below a folder, in order."""
        for folder, folders, names in os.walk(os.path.join(self.top, base)):
            folders[:] = sorted(set(folders) - SKIPPED)
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), self.top)

    def sized(self):
        return [s for s in self.sources.values()
                if s.path.startswith(tuple(b + "/" for b in SIZED))]

    def on_floors(self):
        return [s for s in self.sources.values() if s.on_floor()]

    def _index(self):
        """Returns the file that defines each name with external linkage or in
        a header."""
        self.global_functions = {}	# name -> Source of the definition
        self.global_variables = {}
        for src in self.sources.values():
            if src.floor() is None:
                continue
            for f in src.functions:
                if src.is_header or not f.static:
                    self.global_functions.setdefault(f.name, src)
            if not src.is_header:
                for v in src.variables:
                    if not v.static:
                        self.global_variables.setdefault(v.name, src)
        self.structs = {}		# name -> Struct, of the floors
        self.pointers = {}		# its name -> [(Struct, Member)]
        for src in self.on_floors():
            for struct in src.structs():
                self.structs.setdefault(struct.name, struct)
                for member in struct.members:
                    if member.pointer is not None:
                        self.pointers.setdefault(member.name, []).append(
                            (struct, member))

    def function(self, src, name):
        """Returns the file of the function that a name in a file means, or
        None."""
        if any(f.name == name for f in src.functions):
            return src
        return self.global_functions.get(name)

    def arguments(self, src, name):
        """Returns the types of the arguments of a function."""
        return next((f.arguments for f in src.functions if f.name == name),
                    None)

    def resolve(self, src, name):
        """Returns the file of net/smc that an #include means, or None."""
        for base in (src.folder, ROOT):
            target = self.sources.get(os.path.normpath(
                os.path.join(base, name)))
            if target is not None and target.floor() is not None:
                return target
        return None

    def test_of(self, src):
        """Is this a file of the KUnit suites, which use functions that no
        other file uses?"""
        return src.floor() == ABOVE_ALL and "/tests/" in src.path
