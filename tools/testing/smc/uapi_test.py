#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks that the user-space headers have the names of deployed Linux; prints
KTAP.

usage: uapi_test.py TOP OUT

TOP is the top of the tree, programs go to OUT. The program compares the table,
uapi_names.txt, with the headers of this tree. The program also compares the
table with the Linux headers on this machine, to show that the table is right.
The Linux headers may be older and lack some names.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

from ktap import Report

HERE = os.path.dirname(os.path.realpath(__file__))
HEADERS = ("linux/smc.h", "linux/smc_diag.h")
WARN = ["-Wall", "-Wextra", "-Werror"]
LANGUAGES = {
    "C90": [os.environ.get("CC", "gcc"), "-std=c90", "-xc"],
    "C": [os.environ.get("CC", "gcc"), "-xc"],
    "C++": [os.environ.get("CXX", "g++"), "-xc++"],
}
TIMEOUT = 60


def read_table():
    """Returns [(kind, name, ...)] of uapi_names.txt."""
    with open(os.path.join(HERE, "uapi_names.txt"), encoding="utf-8") as file:
        rows = [line.split("#")[0].split() for line in file]
    return [row for row in rows if row]


def words_of(directory):
    """Returns all words of the headers in directory, without comments."""
    text = ""
    for header in HEADERS:
        with open(os.path.join(directory, header), encoding="utf-8") as file:
            text += file.read()
    return set(re.findall(r"\w+", re.sub(r"/\*.*?\*/", "", text, flags=re.S)))


def known(row, words):
    names = row[1:3] if row[0] == "field" else row[1:2]
    return words.issuperset(names)


CALLS = {
    "number": 'number("{0}", {0}, {1});',
    "macro": 'defined_as("{0}", TEXT({0})); number("{0}", {0}, {1});',
    "string": 'defined_as("{0}", TEXT({0})); string("{0}", {0}, "{1}");',
    "struct": 'layout("{0}", sizeof(struct {0}), {1});',
    "field": 'field("{0}.{1}", offsetof(struct {0}, {1}), {2}, '
             'sizeof(((struct {0} *)0)->{1}), {3});',
}


def write_table(path, rows):
    """Returns the rows as calls of functions in uapi_test.c."""
    with open(path, "w", encoding="utf-8") as file:
        for kind, *cells in rows:
            file.write(CALLS[kind].format(*cells) + "\n")


def run(argv, stdin=""):
    """Runs a program. Returns (ended well, output)."""
    done = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8",
                          timeout=TIMEOUT, check=False)
    return done.returncode == 0, done.stdout


def compare(out, compiler, directory, rows, older):
    """Returns (all rows agree, output of the program)."""
    program = os.path.join(out, "uapi_test")
    table = os.path.join(out, "uapi_table.h")
    write_table(table, rows)
    flags = [*WARN, f"-I{directory}", f'-DTABLE="{table}"',
             *(["-DOLDER"] if older else [])]
    done, said = run([*compiler, *flags, "-o", program,
                      os.path.join(HERE, "uapi_test.c")])
    if not done:
        return False, said
    done, output = run([program])
    return done, said + output


def each_alone(ktap, directory):
    """Each header compiles as the first include, in each language."""
    headers = sorted(glob.glob(os.path.join(directory, "linux/*.h")))
    for language, compiler in LANGUAGES.items():
        name = f"each header compiles alone, {language}"
        if not shutil.which(compiler[0]):
            ktap.skip(name, f"no {compiler[0]}")
            continue
        wrong = "" if headers else "no headers"
        for header in headers:
            text = f"#include <linux/{os.path.basename(header)}>\n"
            done, said = run([*compiler, *WARN, f"-I{directory}",
                              "-fsyntax-only", "-"], text)
            wrong += "" if done else f"{header}: {said}"
        ktap.result(not wrong, name, wrong)


def same_names(ktap, out, directory, rows):
    """Every name of the table, in languages that know offsetof()."""
    for language in ("C", "C++"):
        name = f"names, numbers and layouts, {language}"
        compiler = LANGUAGES[language]
        if not shutil.which(compiler[0]):
            ktap.skip(name, f"no {compiler[0]}")
            continue
        passed, said = compare(out, compiler, directory, rows, older=False)
        ktap.result(passed, name, said)


def stock(out):
    """Returns [(name, directory)] of the Linux headers on this machine.

    The directories are copies, because a kernel package contains other headers
    in the same place that are not for user space.
    """
    places = [("/usr/include", "/usr/include")]
    for path in sorted(glob.glob("/usr/src/linux-headers-*-common")):
        places.append((os.path.basename(path), f"{path}/include/uapi"))
    found = []
    for number, (name, directory) in enumerate(places):
        if not all(os.path.exists(os.path.join(directory, header))
                   for header in HEADERS):
            continue
        copy = os.path.join(out, f"stock{number}")
        os.makedirs(os.path.join(copy, "linux"), exist_ok=True)
        for header in HEADERS:
            shutil.copy(os.path.join(directory, header),
                        os.path.join(copy, header))
        found.append((name, copy))
    return found


def against_stock(ktap, out, rows):
    found = stock(out)
    if not found:
        ktap.skip("the table is right", "no <linux/smc.h> on this machine")
    for name, directory in found:
        words = words_of(directory)
        there = [row for row in rows if known(row, words)]
        print(f"# {name} has {len(there)} of {len(rows)} rows of the table")
        passed, said = compare(out, LANGUAGES["C"], directory, there,
                               older=len(there) < len(rows))
        ktap.result(passed, f"the table is right: {name}", said)


def main():
    if len(sys.argv) != 3:
        print("usage: uapi_test.py TOP OUT", file=sys.stderr)
        return 2
    directory = os.path.abspath(os.path.join(sys.argv[1], "include/uapi"))
    out = os.path.abspath(sys.argv[2])
    os.makedirs(out, exist_ok=True)
    rows = read_table()
    ktap = Report()
    each_alone(ktap, directory)
    same_names(ktap, out, directory, rows)
    against_stock(ktap, out, rows)
    return ktap.finish()


if __name__ == "__main__":
    sys.exit(main())
