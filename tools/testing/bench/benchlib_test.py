#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Tests the parts of benchlib that need no host; prints KTAP."""

import sys

from benchlib import BenchError, blocks
from benchlib.symbols import FUNCTION_MAX, Symbols
from ktap import Failure, case, run_cases, same

TEXT = 0xffffffff81000000
MODULE = 0xffffffffc0000000
KALLSYMS = f"""
0000000000000000 A fixed_percpu_data
{TEXT:x} T startup
{TEXT + 0x40:x} t one
{TEXT + 0x40:x} T two
{TEXT + 0x80:x} d table
{MODULE:x} t smc_sendmsg\t[smc]
{MODULE + 0x100:x} t one\t[rdma_rxe]
"""
BEFORE = f"lost 5\n0 3 100\n{TEXT + 0x40:x} 4 7\n{MODULE:x} 2 10\nend\n"
AFTER = (f"lost 9\n0 3 110\n{TEXT + 0x40:x} 4 7\n{TEXT + 0x50:x} 1 6\n"
         f"{MODULE:x} 2 12\n{MODULE:x} 5 1\n{MODULE + 0x10:x} 6 3\nend\n")


@case
def names():
    """symbols: an address belongs to the function that begins before it"""
    known = Symbols(KALLSYMS)
    same("startup", known.name(TEXT + 0x3f))
    same("two", known.name(TEXT + 0x40))
    same("two", known.name(TEXT + 0x80))
    same("smc_sendmsg [smc]", known.name(MODULE + 0xff))
    same("one [rdma_rxe]", known.name(MODULE + 0x100 + FUNCTION_MAX))
    for address in (0, TEXT - 1, MODULE - 1, MODULE + 0x101 + FUNCTION_MAX):
        same(None, known.name(address))


@case
def starts():
    """symbols: where functions begin"""
    known = Symbols(KALLSYMS)
    same([True, False, False, False],
         [known.is_start(address) for address in
          (TEXT + 0x40, TEXT + 0x41, TEXT + 0x80, MODULE + 0x101)])
    same({TEXT + 0x40, MODULE + 0x100}, known.starts_of("one"))
    same({MODULE}, known.starts_of("smc_sendmsg"))
    same(set(), known.starts_of("smc"))
    same({"smc_sendmsg"}, known.functions_of("smc"))
    same({"one"}, known.functions_of("rdma_rxe"))


@case
def dumps():
    """blocks: a dump of the plugin is parsed"""
    got = blocks.parse(BEFORE)
    same({(0, 3): 100, (TEXT + 0x40, 4): 7, (MODULE, 2): 10}, got.runs)
    same(5, got.lost)
    same({}, blocks.parse("lost 0\nend\n").runs)


@case
def wrong_dumps():
    """blocks: a dump that is not complete is an error"""
    for text in ("", "lost 0\n", "end\n", BEFORE[:-4], BEFORE[7:],
                 "lost 0\n1 2\nend\n", "lost 0\nx 1 2\nend\n",
                 "found 0\nend\n"):
        try:
            blocks.parse(text)
        except BenchError:
            continue
        raise Failure(f"parsed: {text!r}")


@case
def intervals():
    """blocks: the counts of an interval are the difference of two dumps"""
    got = blocks.parse(AFTER).since(blocks.parse(BEFORE))
    same({(0, 3): 10, (TEXT + 0x50, 1): 6, (MODULE, 2): 2, (MODULE, 5): 1,
          (MODULE + 0x10, 6): 3}, got.runs)
    same(4, got.lost)


@case
def attribution():
    """blocks: instructions and calls belong to functions, and these to parts"""
    known = Symbols(KALLSYMS)
    got = blocks.parse(AFTER).since(blocks.parse(BEFORE))
    got.runs[MODULE - 1, 2] = 1
    instructions, calls = got.by_function(known)
    same({"smc_sendmsg [smc]": 27, blocks.USER: 30, "two": 6,
          blocks.NO_SYMBOL: 2}, instructions)
    same({"smc_sendmsg [smc]": 3}, calls)
    same(3, got.calls(known.starts_of("smc_sendmsg")))
    same({"smc_sendmsg [smc]": "smc", blocks.USER: "user space",
          "two": "kernel", blocks.NO_SYMBOL: "no symbol"},
         {name: blocks.part_of(name) for name in instructions})


@case
def pages():
    """blocks: pages of code that ran often, by part"""
    known = Symbols(KALLSYMS)
    got = blocks.Dump({(0, 3): 9, (TEXT, 4): 2, (TEXT + 0xff0, 8): 3,
                       (TEXT + 0x1000, 1): 3, (MODULE + 0x50, 2): 4,
                       (MODULE + 0x150, 2): 3, (MODULE - 1, 1): 3,
                       (MODULE + 0x2000, 1): 2}, 0)
    same({"kernel": 2, "smc": 1, "rdma_rxe": 1, "no symbol": 1},
         got.pages(known, 3))
    same({"kernel": 2, "smc": 1, "rdma_rxe": 2, "no symbol": 1},
         got.pages(known, 2))


if __name__ == "__main__":
    sys.exit(run_cases())
