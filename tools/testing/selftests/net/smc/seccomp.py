#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""The seccomp rules of containers.rst allow and forbid what the page says, for
all values that the kernel takes for the same family or protocol.
"""
# kernels: 6.12

import ctypes
import json
import os
import platform
import re
import sys

from smctest import ktap
from smctest.ktap import case, same

PAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                    "../../../../..", "Documentation/networking/smc/containers.rst")
RULE = re.compile(r"^\t(\{\n(?:\t.*\n)*?\t\})$", re.MULTILINE)
SCMP_ACT_ALLOW, SCMP_ACT_EPERM = 0x7fff0000, 0x00050001
COMPARISONS = {"SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
SYSCALLS = range(462)
SOCKET = 41         # of x86-64
UNIX, INET, INET6, SMC = 1, 2, 10, 43
STREAM = 1
TCP, IPPROTO_SMC = 6, 256
HIGH = 1 << 32      # a bit that the kernel ignores


class Arg(ctypes.Structure):
    """struct scmp_arg_cmp"""
    # pylint: disable=too-few-public-methods
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int),
                ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def rules(word):
    """Returns the rules of the page after the paragraph with this word."""
    with open(PAGE, encoding="utf-8") as page:
        text = page.read().split(word, 1)[1].split("\n===", 1)[0]
    found = []
    for block in RULE.findall(text):
        rule = json.loads(block)
        same((["socket"], "SCMP_ACT_ALLOW"), (rule["names"], rule["action"]))
        found.append([Arg(arg["index"], COMPARISONS[arg["op"]], arg["value"],
                          arg.get("valueTwo", 0)) for arg in rule["args"]])
    return found


def load(some):
    """Forbids socket() to this process but for these rules."""
    lib = ctypes.CDLL("libseccomp.so.2")
    lib.seccomp_init.restype = ctypes.c_void_p
    lib.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint,
        ctypes.POINTER(Arg)]
    lib.seccomp_load.argtypes = [ctypes.c_void_p]
    ctx = lib.seccomp_init(SCMP_ACT_EPERM)
    for number in SYSCALLS:
        if number != SOCKET:
            lib.seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, number, 0, None)
    for args in some:
        same(0, lib.seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SOCKET, len(args),
                                           (Arg * len(args))(*args)))
    same(0, lib.seccomp_load(ctx))


def allowed(some, calls):
    """Returns those of the calls (family, protocol) that the rules allow."""
    pipe = os.pipe()
    pid = os.fork()
    if not pid:
        status = 1
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            libc.syscall.argtypes = [ctypes.c_long] * 4
            libc.syscall.restype = ctypes.c_long
            load(some)
            found = [call for call in calls
                     if libc.syscall(SOCKET, call[0], STREAM, call[1]) >= 0]
            os.write(pipe[1], json.dumps(found).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(pipe[1])
    with os.fdopen(pipe[0], "rb") as answer:
        got = answer.read()
    same(0, os.waitpid(pid, 0)[1])
    return [tuple(call) for call in json.loads(got)]


@case
def without_rules():
    """Without them no socket is created, by any call."""
    same([], allowed([], [(INET, TCP), (SMC, 0)]))


@case
def allows():
    """The rule that allows AF_SMC does, and allows nothing else."""
    some = rules("To allow the sockets")[:1]
    same([(SMC, 0)], allowed(some, [(SMC, 0), (INET, TCP)]))


@case
def forbids():
    """The rules that forbid both kinds of sockets leave TCP and AF_UNIX."""
    some = rules("To forbid both kinds")
    good = [(UNIX, 0), (INET, 0), (INET, TCP), (INET6, TCP)]
    bad = [(SMC, 0), (INET, IPPROTO_SMC), (INET6, IPPROTO_SMC)]
    bad += [(family | HIGH, protocol) for family, protocol in bad]
    bad += [(family, protocol | HIGH) for family, protocol in bad]
    same(good, allowed(some, good + bad))


def main():
    if platform.machine() != "x86_64":
        ktap.lacking("system calls of x86-64")
    return ktap.run_cases()


if __name__ == "__main__":
    sys.exit(main())
