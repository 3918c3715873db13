#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks that the bpftrace scripts and the page of tracepoints name only
events and fields of the trace header; prints KTAP.

trace_test.py [TREE]
"""

import glob
import os
import re
import sys

import ktap

HERE = os.path.dirname(os.path.realpath(__file__))
HEADER = "net/smc/base/trace.h"
PAGE = "Documentation/networking/smc/tracing.rst"
SCRIPTS = "tools/observability/bpftrace/*.bt"
MACHINES = "net/smc/*/*_fsm.c"


def events(text):
    """Returns {event: {field: is it an array of characters?}}."""
    found = {}
    for part in text.split("TRACE_EVENT(")[1:]:
        fields = {name: False for name in
                  re.findall(r"__field\([^,]+, (\w+)\)", part)}
        fields.update(dict.fromkeys(
            re.findall(r"__array\(char, (\w+), \d+\)", part), True))
        found[part.split(",")[0]] = fields
    return found


def probes(text):
    """Yields (tracepoint, its condition and body)."""
    code = re.sub(r"//.*", "", text)
    for found in re.finditer(r"tracepoint:smc:(\w+)(.*?)(?=\ntracepoint:|\nEND|"
                             r"\nBEGIN|\Z)", code, re.S):
        yield found[1], found[2]


def faults(text, known, machines):
    """Returns the errors of a script."""
    wrong = [] if "tracepoint:smc:" in text else ["no tracepoint"]
    for event, body in probes(text):
        if event not in known:
            wrong.append(f"no tracepoint {event}")
            continue
        for field in re.findall(r"args->(\w+)", body):
            if field not in known[event]:
                wrong.append(f"{event} has no {field}")
        for field in re.findall(r"str\(args->(\w+)\)", body):
            if not known[event].get(field):
                wrong.append(f"{event}: {field} is no string")
        for name in re.findall(r'str\(args->machine\) == "(\w+)"', body):
            if name not in machines:
                wrong.append(f"no state machine {name}")
    return wrong


def on_page(text):
    """Returns {event: fields that the page names}."""
    rows = re.findall(r"^``smc:(\w+)``(.*?)(?=^``|^==)", text, re.M | re.S)
    return {name: set(re.findall(r"``(\w+)``", words)) for name, words in rows}


def main():
    top = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else
                           os.path.join(HERE, "../../.."))

    def read(path):
        with open(os.path.join(top, path), encoding="utf-8") as file:
            return file.read()

    report = ktap.Report()
    known = events(read(HEADER))
    machines = set()
    for path in glob.glob(os.path.join(top, MACHINES)):
        machines |= set(re.findall(r'^SMC_FSM_DEFINE\(\w+,\s*"(\w+)"',
                                   read(path), re.M))
    report.result(len(known) >= 5 and all(known.values()) and machines,
                  "the header has tracepoints")
    sample = ('tracepoint:smc:smc_fsm /str(args->machine) == "none"/ '
              "{ args->bad; str(args->obj) }\ntracepoint:smc:other { }")
    report.result(len(faults(sample, known, machines)) == 4,
                  "wrong names are found",
                  "\n".join(faults(sample, known, machines)))
    paths = sorted(glob.glob(os.path.join(top, SCRIPTS)))
    report.result(bool(paths), "there are scripts")
    for path in paths:
        wrong = faults(read(path), known, machines)
        report.result(not wrong, os.path.basename(path), "\n".join(wrong))
    page = on_page(read(PAGE))
    wanted = {name: set(fields) for name, fields in known.items()}
    report.result(page == wanted, "the page has all tracepoints and fields",
                  f"{page}\n{wanted}")
    text = read(PAGE)
    missing = [os.path.basename(path) for path in paths
               if f"``{os.path.basename(path)}``" not in text]
    report.result(not missing, "the page has all scripts", "\n".join(missing))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
