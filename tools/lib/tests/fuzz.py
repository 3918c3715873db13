#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Runs each tool with each option and with wrong values, and prints each
fault.

fuzz.py [SEED]

For all arguments and kernels the tool must end in time and without a signal,
its exit status must be documented, it must print a message if it fails, and an
error message other than the usage must have one line. The sequence of
arguments depends on the seed only. The kernels are the running one, without
the module, and simulated ones.
"""

import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(HERE, "../..")
FAKE = os.path.join(HERE, "fake_kernel.so")

ROUNDS = 60         # calls of each tool
LIMIT = 60          # seconds for one call, on a busy machine

# Exit statuses that the manual pages list.
STATUSES = {"smcr": {0, 1, 2}, "smcss": {0, 1, 2}, "smc_pnet": {0, 1, 2},
            "smc_rnics": {0, 1, 2}, "smc_chk": {0, 1, 2, 3},
            "smc_dbg": {0, 1, 2}, "smc_advise": {0, 1, 2},
            "smc_ctl": {0, 1, 2},
            # 0 and 1: those of the command
            "smc_run": {0, 1, 125, 126, 127}}
KERNELS = ("host", "denied", "bare", "names")

WRONG = ("", "0", "-1", "1e9", "nan", "99999999999999999999", "0x10", "1 2",
         "x" * 16, "x" * 17, "y" * 300, "z" * 5000, "%s%n", "\t\033[1m",
         "/nonexistent/a", "lo", "none0", "a:b", "[::1]:9", "127.0.0.1:9",
         "::1", "\u00e4\u00f6", "-", "--")
WORDS = {
    "smcr": ("info device linkgroup link stats top counters metrics ueid seid "
             "limit show link-show del add flush reset json absolute watch "
             "enable disable netdev ibdev all help config check apply save "
             "0.05 1").split(),
    "smc_pnet": ["NET1", "n" * 16],
    "smc_rnics": ["rxe0"],
    "smc_ctl": ["show", "none.service"],
    "smc_run": ["true", "false", "64k"],
}
# Words that make a tool run for ever, or change files; and what must follow.
BOUNDED = {("smcr", "watch"): ["1", "1"], ("smcr", "top"): ["0.05", "1"],
           ("smcr", "save"): ["smc.conf"]}
# A server runs until it is stopped.
LEFT_OUT = {("smc_chk", "--server"), ("smc_chk", "-S")}


def options(tool):
    """Returns the options that the help of a tool names."""
    out = subprocess.run([os.path.join(TOOLS, tool, tool), "--help"],
                         check=True, capture_output=True, text=True).stdout
    found = re.findall(r"(?<![\w-])(--?[a-zA-Z6][\w-]*)", out)
    return sorted(o for o in set(found) if (tool, o) not in LEFT_OUT)


def arguments(rng, tool, known):
    """Returns up to five arguments, some of them wrong."""
    out = []
    for _ in range(rng.randrange(6)):
        kind = rng.random()
        words = WORDS.get(tool, [])
        if kind < 0.4:
            out.append(rng.choice(known))
        elif kind < 0.7 and words:
            out.append(rng.choice(words))
        else:
            out.append(rng.choice(WRONG))
        out += BOUNDED.get((tool, out[-1]), [])
    # a word may abbreviate a command that runs for ever
    return [word for word in out if word not in ("w", "t", "to")]


def kernels():
    """Returns the kernels. The running kernel is included only if no setting
    of it can change."""
    with open("/proc/net/protocols", encoding="ascii") as file:
        loaded = any(line.startswith("SMC ") for line in file)
    return KERNELS if loaded else (*KERNELS, None)


def cases(seed):
    rng = random.Random(seed)
    places = kernels()
    for tool in STATUSES:
        known = options(tool)
        calls = [[option] for option in known]
        calls += [[option, rng.choice(WRONG)] for option in known]
        calls += [arguments(rng, tool, known)
                  for _ in range(ROUNDS if tool != "smc_dbg" else 3)]
        for call in calls:
            if tool == "smc_advise" and not {"-r", "--read"} & set(call):
                call = ["-t", "0.05", *call]
            output = rng.choice(["pipe"] * 4 + ["full", "closed"])
            yield tool, call, rng.choice(places), output


def environment(kernel, scratch):
    env = {"PATH": os.environ["PATH"], "HOME": scratch, "TMPDIR": scratch,
           "XDG_RUNTIME_DIR": scratch, "LC_ALL": "C.UTF-8",
           "RES_OPTIONS": "timeout:1 attempts:1"}
    if kernel:
        env.update(FAKE_KERNEL=kernel, LD_PRELOAD=FAKE, FAKE_MIB="CdcSent 1")
    return env


def call(tool, args, kernel, output, scratch):
    """Returns exit status, standard output and standard error."""
    command = [os.path.join(TOOLS, tool, tool), *args]
    out = subprocess.PIPE
    if output == "closed":
        command = ["sh", "-c", 'exec "$0" "$@" >&-', *command]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, check=False, timeout=LIMIT,
            stdout=full if output == "full" else out, stderr=subprocess.PIPE,
            cwd=scratch, env=environment(kernel, scratch))
    return done.returncode, done.stdout or b"", done.stderr


def verdict(tool, status, out, err):
    """Returns the fault in the result of a call, or None."""
    text = err.decode(errors="replace")
    if status not in STATUSES[tool]:
        return f"exit status {status}"
    if "Sanitizer" in text or "core dumped" in text:
        return "a crash"
    # the status of "false" is that of smc_run
    if status and not err and not out and (tool, status) != ("smc_run", 1):
        return f"exit status {status}, and not a word"
    if status == 1 and tool != "smc_dbg" and len(text.split("\n")) > 2:
        return "more than one line"
    if status == 2 and "usage:" not in text:
        return "no usage"
    if status == 125 and not re.search("^(smc_run|usage): ", text, re.M):
        return "no reason"
    return None


def one(case):
    tool, args, kernel, output = case
    with tempfile.TemporaryDirectory() as scratch:
        try:
            status, out, err = call(*case, scratch)
        except subprocess.TimeoutExpired:
            return tool, f"{[a[:40] for a in args]} on {kernel}, {output}: no end"
        except ValueError:      # a NUL byte
            return tool, None
    wrong = verdict(tool, status, out, err)
    shown = [arg[:40] for arg in args]
    return tool, wrong and (f"{shown} on {kernel}, output {output}: {wrong}\n"
                            f"{err.decode(errors='replace')[:300]}")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    found = {tool: [] for tool in STATUSES}
    count = dict.fromkeys(STATUSES, 0)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for tool, wrong in pool.map(one, cases(seed)):
            count[tool] += 1
            if wrong:
                found[tool].append(wrong)
    for tool in STATUSES:
        for wrong in found[tool]:
            print(f"{tool} {wrong.rstrip()}")
        print(f"{tool}: {count[tool]} calls, {len(found[tool])} wrong")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
