# SPDX-License-Identifier: GPL-2.0
"""Static checks: style and syntax."""

import concurrent.futures
import fnmatch
import hashlib
import os
import re
import subprocess
import time

from checklib import TREE, command
from checklib.results import FAIL, PASS

IGNORE = "scripts/checklib/checkpatch.ignore"
TRACKED_AND_NEW = ["git", "ls-files", "-z", "--cached", "--others",
                   "--exclude-standard"]

CACHE = os.path.join(os.environ.get("SMC_LAB_CACHE", "/var/cache/smcr-lab"),
                     "clean")
FORGOTTEN = 30 * 86400  # seconds after the last use
COLUMNS = 80    # of a line of a comment
STRING = re.compile(r'"(\\.|[^"\\])*"')


class Clean:
    """The files that a checker has found clean, in the cache of the lab. A
    checker need not read the same bytes again, if nothing else that its result
    depends on has changed."""

    def __init__(self, checker, *depends):
        """depends: what the result depends on besides the file."""
        self._salt = repr((checker, depends)).encode()

    def _stamp(self, paths):
        digest = hashlib.sha256(self._salt)
        for path in paths:
            with open(os.path.join(TREE, path), "rb") as file:
                content = file.read()
            digest.update(f"{path} {len(content)} ".encode() + content)
        return os.path.join(CACHE, digest.hexdigest())

    def known(self, *paths):
        """Are these files, together, known to be clean?"""
        try:
            os.utime(self._stamp(paths))
            return True
        except OSError:
            return False

    def note(self, *paths):
        """Notes that these files, together, are clean."""
        try:
            os.makedirs(CACHE, exist_ok=True)
            with open(self._stamp(paths), "wb"):
                pass
        except OSError:
            pass        # without a cache, the checker runs each time

    @staticmethod
    def forget():
        """Forgets what no run has used for a long time."""
        try:
            stamps = list(os.scandir(CACHE))
        except OSError:
            return
        for stamp in stamps:
            if stamp.stat().st_mtime < time.time() - FORGOTTEN:
                os.unlink(stamp.path)


def sources():
    """Returns all files of this project, relative to the tree."""
    out = subprocess.run(TRACKED_AND_NEW, cwd=TREE, check=True,
                         capture_output=True).stdout.decode()
    return [path for path in sorted(set(out.split("\0")))
            if path and os.path.isfile(os.path.join(TREE, path))]


def _first_line(path):
    with open(os.path.join(TREE, path), "rb") as file:
        return file.readline(200).decode(errors="replace")


def _ignored():
    """Returns the rules of checkpatch.ignore: [(pattern, {types})]."""
    rules = []
    with open(os.path.join(TREE, IGNORE), encoding="utf-8") as file:
        for line in file:
            pattern, _, types = line.split("#")[0].partition(":")
            if types:
                rules.append((pattern.strip(), set(types.split())))
    return rules


def _complaints(out, rules):
    """Returns the lines of checkpatch's output that no rule ignores."""
    kept = []
    for line in out.splitlines():
        found = re.match(r"([^:]+):\d+: \w+:(\w+):", line)
        if not found or not any(fnmatch.fnmatch(found[1], pattern) and
                                found[2] in types for pattern, types in rules):
            kept.append(line)
    return "\n".join(kept)


def checkpatch(report):
    """Runs checkpatch.pl --strict on every C file, with one result per
    directory."""
    status, out = command.run(["scripts/kernel/build", "source"], 1800)
    if status:
        report.add("checkpatch: kernel source", FAIL, out)
        return
    script = os.path.join(out.strip().splitlines()[-1], "scripts/checkpatch.pl")
    by_directory = {}
    for path in sources():
        if path.endswith((".c", ".h")):
            by_directory.setdefault(os.path.dirname(path), []).append(path)
    rules = _ignored()
    argv = [script, "--strict", "--no-tree", "--terse", "--no-summary",
            "--show-types", "-f"]
    Clean.forget()
    clean = Clean(argv, [(pattern, sorted(types)) for pattern, types in rules])

    def check_directory(item):
        directory, paths = item
        new = [path for path in paths if not clean.known(path)]
        text = ""
        if new:
            status, out = command.run([*argv, *new], command.LIMIT)
            text = out if status > 1 else _complaints(out, rules)
        if not text:
            for path in new:
                clean.note(path)
        report.add(f"checkpatch: {directory}", FAIL if text else PASS, text)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(check_directory, sorted(by_directory.items())))


def long_comments(path):
    """Yields the places of lines of comments that have more than 80 columns.
    A comment beside code counts from its second line."""
    inside = False
    with open(os.path.join(TREE, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            comment = inside or line.lstrip().startswith("/*")
            if comment and len(line.rstrip().expandtabs()) > COLUMNS:
                yield f"{path}:{number}"
            rest = line if inside else STRING.sub("", line)
            inside = (inside or "/*" in rest) and "*/" not in rest


def comments(report):
    """Tests the width of comments. checkpatch allows 100 columns, for code."""
    found = [place for path in sources() if path.endswith((".c", ".h"))
             for place in long_comments(path)]
    report.add(f"comments: {COLUMNS} columns at most",
               FAIL if found else PASS, "\n".join(found))


def pages(report):
    """Renders the pages; a warning of Sphinx is an error."""
    command.simple(report, "make html", ["make", "-s", "html"])


def scripts(report):
    """Checks shell scripts with shellcheck, Lua scripts with luacheck, and
    Python with its compiler."""
    shell, lua, python = [], [], []
    for path in sources():
        if path.endswith((".c", ".h", ".rst", ".md", ".7", ".8")):
            continue
        first = _first_line(path)
        if path.endswith(".py") or first.startswith("#!/usr/bin/python3"):
            python.append(path)
        elif path.endswith(".lua"):
            lua.append(path)
        elif path.startswith("tools/completion/"):
            shell.append(path)
        elif path.endswith(".sh") or (first.startswith("#!") and
                                      first.split()[-1].endswith("sh")):
            shell.append(path)
    # with -x, the result also depends on the scripts that a script includes
    clean = Clean(command.run(["shellcheck", "--version"], 60)[1])
    name = f"shellcheck: {len(shell)} scripts"
    if clean.known(*shell):
        report.add(name, PASS)
    elif command.simple(report, name, ["shellcheck", "-x", *shell]):
        clean.note(*shell)
    command.simple(report, f"luacheck: {len(lua)} scripts",
                   ["luacheck", "--no-color", *lua])
    wrong = []
    for path in python:
        with open(os.path.join(TREE, path), encoding="utf-8") as file:
            text = file.read()
        try:
            compile(text, path, "exec")
        except SyntaxError as err:
            wrong.append(f"{path}:{err.lineno}: {err.msg}")
    report.add(f"python: {len(python)} scripts", FAIL if wrong else PASS,
               "\n".join(wrong))
