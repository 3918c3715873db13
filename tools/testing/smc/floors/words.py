# SPDX-License-Identifier: GPL-2.0
"""Checks comments: the names that they cite, and kernel-doc."""

import glob
import os
import re
import subprocess

from floors.source import IDENT, ROOT

PAGES = "Documentation/networking/smc"
CHOICE = re.compile(r"\b[XYF]-\d\d\b")
NUMBERED = re.compile(r"(?<![\w+-])D\d{1,2}\b(?![-+])")
NAME = re.compile(r"\bsmc_[a-z0-9_]*[a-z0-9](?![a-z0-9_]*[*<-])")
FILE = re.compile(r"(?<![\w*/>.-])(?:[\w-]+/)*[\w-]+\.(?:c|h|py|sh|rst|md|"
                  r"txt|yaml)\b(?![\w*-]|\.\w)")
# Words that look like C names but are not: sysctls, modules, tools, ...
SPOKEN = (".py", ".sh", ".yaml", "Makefile", "Kconfig", ".8")


def chosen(tree):
    """A page that explains an X-nn, Y-nn or F-nn has it at the beginning of a
    line."""
    found = set()
    for path in tree.files(PAGES):
        with open(os.path.join(tree.top, path), encoding="utf-8") as f:
            found.update(re.findall(r"^(?:\* - |\| *)?(?:\*\*)?"
                                    r"([XYF]-\d\d)\b", f.read(), flags=re.M))
    return found


def known_words(tree):
    """Returns the names that exist in code, strings and scripts, and the names
    of files."""
    words, files = set(), set()
    for src in tree.sources.values():
        words.update(IDENT.findall(src.plain))
        for name, _ in src.includes():
            files.add(os.path.basename(name))
        files.update(os.path.basename(name) for name in re.findall(
            r"#\s*include\s*<([^>]+)>", src.plain))
        words.update(w for m in re.finditer(r"\"(?:\\.|[^\"\\\n])*\"",
                                            src.text)
                     for w in IDENT.findall(m.group(0)))
        words.update(w for m in re.finditer(r"\b(\w*)##\s*_?\w*", src.plain)
                     for w in [m.group(1)])
    for path in tree.files():
        base = os.path.basename(path)
        files.add(base)
        words.add(base.split(".")[0])
        words.add(os.path.basename(os.path.dirname(path)))
        if base.endswith(SPOKEN) or "." not in base:
            with open(os.path.join(tree.top, path), encoding="utf-8",
                      errors="replace") as f:
                words.update(IDENT.findall(f.read()))
    return words, files


def texts(tree):
    """Yields (path, text, line, is C) of comments, scripts and pages."""
    for src in tree.sources.values():
        for text, line in src.comments():
            yield src.path, text, line, True
    for path in tree.files():
        if path.endswith((".py", ".sh")) and "floors" not in path:
            with open(os.path.join(tree.top, path), encoding="utf-8",
                      errors="replace") as f:
                yield path, f.read(), 1, False
        elif path.endswith((".rst", ".md")):
            with open(os.path.join(tree.top, path), encoding="utf-8") as f:
                yield path, f.read(), 1, True


def untested(tree, fault, choices):
    """A rule of the extension, F-nn, needs a test that cites it."""
    cited = set()
    for src in tree.sources.values():
        if tree.test_of(src):
            cited.update(CHOICE.findall(src.text))
    for name in sorted(choices):
        if name.startswith("F-") and name not in cited:
            fault("cites", PAGES, 1, name, f"{name}: no test cites it")


def cites(tree, fault):
    choices = chosen(tree)
    untested(tree, fault, choices)
    words, files = known_words(tree)
    for path, text, line, is_c in texts(tree):
        def say(m, what, path=path, text=text, line=line):
            fault("cites", path, line + text.count("\n", 0, m.start()),
                  m.group(0), f"{m.group(0)}: {what}")

        for m in CHOICE.finditer(text):
            if m.group(0) not in choices:
                say(m, f"no page of {PAGES} explains it")
        for m in NUMBERED.finditer(text):
            if (is_c and not path.endswith(".md")) or \
               text[m.start() - 1] == "(":
                say(m, "a decision that no page has")
        if not is_c:
            continue
        for m in NAME.finditer(text):
            if m.group(0) not in words:
                say(m, "there is no such name")
        for m in FILE.finditer(text):
            if os.path.basename(m.group(0)) not in files:
                say(m, "there is no such file")


def kernel_doc_script():
    """Returns the newest of the installed kernel packages, or None."""
    def version(path):
        return [int(n) for n in re.findall(r"\d+", path)]

    found = [os.environ["KERNEL_DOC"]] if os.environ.get("KERNEL_DOC") else []
    found += sorted(glob.glob("/usr/lib/linux-kbuild-*/scripts/kernel-doc"),
                    key=version, reverse=True)
    found += sorted(glob.glob("/usr/src/*/scripts/kernel-doc"),
                    key=version, reverse=True)
    return next((path for path in found if os.access(path, os.X_OK)), None)


def kernel_doc(tree, fault):
    """Returns a reason if the check is impossible."""
    script = kernel_doc_script()
    if not script:
        return "no kernel-doc found: install linux-kbuild or set KERNEL_DOC"
    paths = sorted(s.path for s in tree.sources.values()
                   if s.floor() is not None and "/tests/" not in s.path)
    out = subprocess.run([script, "-none", *paths], cwd=tree.top, check=False,
                         capture_output=True, encoding="utf-8",
                         errors="replace")
    for m in re.finditer(r"^(\S+?):(\d+): (?:warning|error): (.*)",
                         out.stderr, flags=re.M):
        fault("kernel-doc", m.group(1), int(m.group(2)), "", m.group(3))
    if out.returncode and not re.search("warning|error", out.stderr):
        fault("kernel-doc", ROOT, 0, "", out.stderr.strip())
    return None
