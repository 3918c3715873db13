#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Prints Documentation/networking/smc/reasons.rst from the sources.

reasons_doc.py [--check] [TREE]

Numbers come from wire/decline.h, meanings from wire/decline_names.h, remedies
from the advice of smc_chk. With --check the program compares the page. A name
without a number, a number without a name, and an advice for a number that does
not exist are errors.
"""

import difflib
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.realpath(__file__))
PAGE = "Documentation/networking/smc/reasons.rst"
NUMBERS = "net/smc/wire/decline.h"
NAMES = "net/smc/wire/decline_names.h"
ADVICE = "tools/smc_chk/advice.c"

HEAD = """\
.. SPDX-License-Identifier: GPL-2.0
.. Made from the sources: make -C tools/testing/smc doc

===============
Reasons for TCP
===============

Each connection that uses TCP has a reason code. ``smcss`` shows it, ``smcr
stats`` and ``smcr top`` count it, the tracepoint ``smc_switch_to_fallback`` has
it, and the peer receives it in a Decline. Deployed Linux has the same numbers.
Behind a slash ``smcss`` shows the code of the peer: ``0x05000000/0x03030002``
means that the peer has no SMC-R device. A code without a remedy belongs to
SMC-D, which this module does not have, or comes from another implementation.

"""


def numbers(text):
    """Returns {constant: number}."""
    return {name: int(value, 16) for name, value in
            re.findall(r"^\t(SMC_DECL_\w+)\s*=\s*(0x[0-9a-f]{8})", text, re.M)}


def names(text):
    """Returns {constant: meaning}."""
    return dict(re.findall(r'^SMC_DECLINE_NAME\((\w+), "(.*)"\)$', text, re.M))


def advice(text):
    """Returns {number: remedy}."""
    found = re.findall(r'\{ (0x[0-9a-f]{8}), "[^"]*",\s*((?:"[^"]*"\s*)+)\}',
                       text)
    return {int(value, 16): "".join(re.findall(r'"([^"]*)"', words))
            for value, words in found}


def escaped(text):
    """RST gives these characters a meaning."""
    return re.sub(r"([*`_|\\])", r"\\\1", text)


def page(top):
    """Returns (text, list of errors)."""
    def read(path):
        with open(os.path.join(top, path), encoding="utf-8") as file:
            return file.read()

    codes, words = numbers(read(NUMBERS)), names(read(NAMES))
    remedies = advice(read(ADVICE))
    errors = [f"{name} has a number or a name only"
              for name in sorted(set(codes) ^ set(words))]
    errors += [f"smc_chk: advice for 0x{code:08x}, which does not exist"
               for code in sorted(set(remedies) - set(codes.values()))]
    if not codes or not remedies:
        errors.append("no codes found, or no advice")
    lines = [HEAD]
    for name, code in sorted(codes.items(), key=lambda row: row[1]):
        lines.append(f"``0x{code:08x}``: {escaped(words.get(name, ''))}\n")
        remedy = escaped(remedies.get(code, ""))
        if remedy:
            lines.append(textwrap.fill(
                remedy, 72, initial_indent="\t", subsequent_indent="\t",
                break_long_words=False, break_on_hyphens=False) + "\n")
        else:
            lines.append("\t\\-\n")
    return "".join(lines), errors


def main():
    args = [word for word in sys.argv[1:] if word != "--check"]
    top = args[0] if args else os.path.join(HERE, "../../..")
    text, errors = page(top)
    if "--check" not in sys.argv[1:]:
        sys.stdout.write(text)
    else:
        with open(os.path.join(top, PAGE), encoding="utf-8") as file:
            old = file.read()
        errors += difflib.unified_diff(old.splitlines(), text.splitlines(),
                                       PAGE, "sources", lineterm="")
    print(*errors, sep="\n", end="\n" if errors else "", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
