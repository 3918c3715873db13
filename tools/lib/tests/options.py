#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Runs each tool with the options that all tools have, and each view as text and
as JSON, and prints each fault.

Help has one screen of 24 lines and 80 columns. Help and version say nothing on
standard error, and one line there if standard output is closed or full, with
the exit status of a failure. Manual pages document all exit statuses. JSON can
be parsed, whatever the names on the system are. Text has no escape sequences,
and its columns do not overlap, however long names and numbers are.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import fuzz

LINES, COLUMNS = 24, 80
FAILED = {"smc_run": 125}       # of other tools: 1
VERSION = "../net/smc/base/version.h"
LIMIT = 60                      # seconds for one call, on a busy machine

# (tool, arguments) of views as JSON; kernels of fake_kernel.c
KERNELS = ("host", "bare", "names", "long", "many", "frames")
JSON = [("smcr", view) for view in (
    "info", "device", "-d device", "linkgroup", "-d linkgroup",
    "linkgroup link-show", "-dd linkgroup link-show", "link", "-d link",
    "stats", "-d stats", "stats absolute", "counters", "-d counters", "config",
    "ueid", "seid", "limit", "top 0.05 2")]
JSON += [("smcss", view) for view in (
    "", "-a", "-l", "-a --details --lgr", "-a -d -R", "-D")]
JSON += [("smc_pnet", ""), ("smc_rnics", ""), ("smc_rnics", "-a"),
         ("smc_chk", "--local"), ("smc_chk", "--local --debug"),
         ("smc_chk", "--pnetid lo")]

# tables: (tool, arguments, headings)
TABLES = [
    ("smcr", "device", "Net-Dev,IB-Dev,IB-P,IB-State,Type,Crit,#Links,PNET-ID"),
    ("smcr", "-d device",
     "Net-Dev,IB-Dev,IB-P,IB-State,Type,Crit,#Links,PCI-ID,PNET-ID"),
    ("smcr", "linkgroup", "LG-ID,LG-Role,LG-Type,VLAN,#Conns,PNET-ID"),
    ("smcr", "-d linkgroup",
     "LG-ID,LG-Role,LG-Type,VLAN,#Conns,Send-Bytes,RMB-Bytes,Version,EID,"
     "Extension,PNET-ID"),
    ("smcr", "link", "LG-ID,LN,Net-Dev,IB-Dev,IB-P,State,#Conns"),
    ("smcr", "-d link", "LG-ID,LN,Net-Dev,IB-Dev,IB-P,State,#Conns,GID,"
     "Peer-GID,Extension"),
    ("smcr", "linkgroup link-show",
     "LG-ID,LG-Role,LG-Type,Net-Dev,Link-State,#Conns"),
    ("smcr", "-dd linkgroup link-show",
     "LG-ID,LG-Role,LG-Type,Net-Dev,Link-State,#Conns,Link-UID,Peer-UID,IB-Dev,"
     "IB-P,Local-GID,Peer-GID"),
    ("smcss", "-a", "State,UID,Inode,Local Address,Peer Address,Intf,Mode"),
    ("smcss", "-R", "State,UID,Inode,Local Address,Peer Address,Intf,Mode,Role,"
     "IB-device,Port,Linkid,GID,Peer-GID"),
    ("smc_pnet", "", "PNET-ID,Net-Dev,IB-Dev,IB-Port"),
    ("smc_rnics", "",
     "IB-Dev,Port,Net-Dev,State,Vendor,Device,PNET-ID,SMC")]


def run(tool, args, kernel=None, output=None, scratch="/"):
    """Returns exit status, standard output and standard error. output: None,
    "closed" or "full"."""
    command = [os.path.join(fuzz.TOOLS, tool, tool), *args.split()]
    if output == "closed":
        command = ["sh", "-c", 'exec "$0" "$@" >&-', *command]
    env = fuzz.environment(kernel, scratch)
    if kernel:
        env.update(FAKE_CLASS=os.path.join(scratch, "class"),
                   FAKE_SYSCTL=os.path.join(scratch, "sysctl"), FAKE_SOCKET="0")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False,
                              stdout=full if output == "full" else
                              subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT, cwd=scratch, env=env)
    return (done.returncode, (done.stdout or b"").decode(errors="replace"),
            done.stderr.decode(errors="replace"))


def add_files(scratch):
    """Files of a setting, and of the device that the simulated kernel "long"
    names."""
    os.mkdir(os.path.join(scratch, "sysctl"))
    with open(os.path.join(scratch, "sysctl", "rmem"), "w",
              encoding="ascii") as file:
        file.write("65536\n")
    port = os.path.join(scratch, "class", "a_device_with_a_name_of_the_63_"
                        "characters_that_a_name_may_have_", "ports", "1")
    os.makedirs(os.path.join(port, "gid_attrs", "ndevs"))
    for name, text in (("state", "4: ACTIVE"), ("link_layer", "Ethernet"),
                       ("gid_attrs/ndevs/0", "enp129s0f1np15v")):
        with open(os.path.join(port, name), "w", encoding="ascii") as file:
            file.write(text + "\n")


def check_help(tool, option):
    status, out, err = run(tool, option)
    lines = out.splitlines()
    if status or err or not lines:
        yield f"status {status}, {err}"
    if len(lines) > LINES:
        yield f"{len(lines)} lines"
    yield from (f"a line of {len(line)} columns: {line}" for line in lines
                if len(line) > COLUMNS)
    if not out.startswith(f"usage: {tool}"):
        yield "does not begin with the usage"
    for word in ("--help", "--version"):
        if word not in out:
            yield f"does not name {word}"


def check_version(tool, option):
    with open(os.path.join(fuzz.TOOLS, VERSION), encoding="ascii") as file:
        version = re.search(r'SMC_VERSION "(.*)"', file.read())[1]
    result = run(tool, option)
    if result != (0, f"{tool} {version}\n", ""):
        yield str(result)


def check_unwritten(tool, args, output, kernel=None):
    """Standard output is closed or full."""
    with tempfile.TemporaryDirectory() as scratch:
        add_files(scratch)
        status, _, err = run(tool, args, kernel, output, scratch)
    if status != FAILED.get(tool, 1):
        yield f"{output}: status {status}"
    if not re.fullmatch(f"{tool}: .*\n", err):
        yield f"{output}: {err}"


def check_manual(tool):
    with open(os.path.join(fuzz.TOOLS, f"{tool}.8"), encoding="utf-8") as file:
        found = re.search(r"^\.SH EXIT STATUS\n(.*?)^\.SH", file.read(),
                          re.M | re.S)
    named = set(re.findall(r"\b\d+\b", found[1])) if found else set()
    missing = {str(status) for status in fuzz.STATUSES[tool]
               if status != 0 or tool != "smc_run"} - named
    if missing and tool != "smc_run":
        yield f"no word about exit status {sorted(missing)}"
    if tool == "smc_run" and not {"125", "126", "127"} <= named:
        yield f"exit statuses {sorted(named)}"


def check_samples(tool):
    """The manual page has sample output of each view."""
    with open(os.path.join(fuzz.TOOLS, f"{tool}.8"), encoding="utf-8") as file:
        page = file.read().replace("\\-", "-")
    views = [tool]
    if tool == "smcr":
        with open(os.path.join(fuzz.TOOLS, "smcr/smcr.c"),
                  encoding="utf-8") as file:
            subjects = re.findall(r'\{ "(\w+)", cmd_\w+ \}', file.read())
        views = [f"smcr {subject}" for subject in subjects]
        if not subjects:
            yield "no subjects found"
    yield from (f"no sample of {view}" for view in views
                if not re.search(rf"^[\w:~]*# {view}\b.*\n[^#\n]", page, re.M)
                and not re.search(rf"^# {view}\b.*\n# HELP", page, re.M)
                and tool != "smc_run")


def check_json(tool, args, kernel):
    with tempfile.TemporaryDirectory() as scratch:
        add_files(scratch)
        status, out, err = run(tool, f"-j {args}", kernel, None, scratch)
    if status or err:
        yield f"{kernel}: status {status}, {err}"
    try:
        for text in out.splitlines() if "top" in args else [out]:
            json.loads(text)
    except ValueError as wrong:
        yield f"{kernel}: {wrong}: {out[:300]}"


def columns_of(lines):
    """Returns the ranges of columns, which are apart by a column of blanks."""
    width = max(map(len, lines))
    used = [any(line[n:n + 1].strip() for line in lines) for n in range(width)]
    text = "".join("x" if one else " " for one in used)
    return [match.span() for match in re.finditer("x+", text)]


def check_table(tool, args, heads, kernel):
    with tempfile.TemporaryDirectory() as scratch:
        add_files(scratch)
        status, out, err = run(tool, args, kernel, None, scratch)
    lines = out.splitlines()
    if status or err or len(lines) < 2:
        yield f"{kernel}: status {status}, {len(lines)} lines, {err}"
        return
    if "\033" in out:
        yield f"{kernel}: an escape sequence"
    found = [lines[0][start:end].strip() for start, end in columns_of(lines)]
    wanted = heads.split(",")
    if found[:len(wanted)] != wanted:
        yield f"{kernel}: columns overlap: {found}\n{out}"


def cases():
    """Yields (name, function, arguments)."""
    for tool in fuzz.STATUSES:
        yield f"{tool}: manual page", check_manual, (tool,)
        yield f"{tool}: manual page", check_samples, (tool,)
        for option in ("-h", "--help"):
            yield f"{tool} {option}", check_help, (tool, option)
        for option in ("-v", "--version"):
            yield f"{tool} {option}", check_version, (tool, option)
        for option in ("--help", "--version"):
            for output in ("closed", "full"):
                yield f"{tool} {option}", check_unwritten, (tool, option, output)
    for tool, args in JSON:
        for kernel in KERNELS:
            yield f"{tool} -j {args}", check_json, (tool, args, kernel)
        for output in ("closed", "full"):
            yield (f"{tool} -j {args}", check_unwritten,
                   (tool, f"-j {args}", output, "host"))
    for tool, args, heads in TABLES:
        for kernel in ("host", "long"):
            yield f"{tool} {args}", check_table, (tool, args, heads, kernel)


def one(case):
    name, check, args = case
    try:
        return [f"{name}: {fault}" for fault in check(*args)]
    except subprocess.TimeoutExpired:
        return [f"{name}: no end"]


def main():
    count = 0
    faults = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(one, cases()):
            count += 1
            faults += found
    print("".join(fault.rstrip() + "\n" for fault in faults) +
          f"{count} calls, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
