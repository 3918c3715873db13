# SPDX-License-Identifier: GPL-2.0
"""Tests of the messages about hosts that did not start, or have ended."""

import unittest

from lablib import console

# Output of User Mode Linux that cannot set the registers of its processes.
REGISTERS = """\
[    0.060000] userspace - ptrace set fp regs failed, errno = 14
[    0.060000] Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b
[    0.060000] CPU: 0 UID: 0 PID: 1 Comm: init-uml Not tainted 6.12.117-lab #1
[    0.060000] Stack:
[    0.060000]  6083bdc8 60448a21 00000001 6041eecd
[    0.060000] Call Trace:
[    0.060000]  [<60448a21>] dump_stack_lvl+0x45/0x50
"""

OOPS = """\
[    5.100000] lab: loading smc
[    5.200000] smc: an older matter
[    8.670000] lab: host is ready
[    8.679882] BUG: kernel NULL pointer dereference, address: 0000000000000000
[    8.680090] #PF: supervisor write access in kernel mode
[    8.680317] #PF: error_code(0x0002) - not-present page
[    8.680457] PGD 455dd067 P4D 0
[    8.680644] Oops: Oops: 0002 [#1] PREEMPT SMP NOPTI
[    8.680949] CPU: 0 UID: 0 PID: 161 Comm: insmod Tainted: G           OE
[    8.681251] Tainted: [O]=OOT_MODULE, [E]=UNSIGNED_MODULE
[    8.681350] Hardware name: QEMU Standard PC (i440FX + PIIX, 1996)
[    8.681626] RIP: 0010:break_it+0x17/0xff0 [broken]
[    8.682194] Code: Unable to access opcode bytes at 0xffffffffc0529ffd.
[    8.682323] RSP: 0018:ff5e6fb4806639f8 EFLAGS: 00000246
[    8.683124] FS:  00007f771376a040(0000) GS:ff462c8ade000000(0000)
[    8.683368] CR2: ffffffffc0529ffd CR3: 0000000001f7c000
[    8.683592] PKRU: 55555554
[    8.683684] Call Trace:
[    8.684199]  <TASK>
[    8.684367]  do_one_initcall+0x58/0x320
[    8.685027]  ? arch_exit_to_user_mode_prepare.constprop.0+0x75/0xa0
[    8.686413] RIP: 0033:0x7f771386c829
[    8.687727]  </TASK>
[    8.687817] Modules linked in: broken(OE+) rdma_rxe ib_uverbs ib_core
[    8.688708] ---[ end trace 0000000000000000 ]---
[    8.688845] RIP: 0010:break_it+0x17/0xff0 [broken]
[    8.690297] Kernel panic - not syncing: Fatal exception
[    8.690786] Kernel Offset: 0x1de00000 from 0xffffffff81000000
"""


class LastWords(unittest.TestCase):
    def test_registers(self):
        "last words: the line before the panic that caused it"
        self.assertEqual(
            console.last_words(REGISTERS),
            "userspace - ptrace set fp regs failed, errno = 14; Kernel panic "
            "- not syncing: Attempted to kill init! exitcode=0x0000000b")

    def test_oops(self):
        "last words: of an oops its head and its place, no dump"
        self.assertEqual(
            console.last_words(OOPS),
            "BUG: kernel NULL pointer dereference, address: 0000000000000000; "
            "Oops: Oops: 0002 [#1] PREEMPT SMP NOPTI; "
            "RIP: 0010:break_it+0x17/0xff0 [broken]; "
            "Kernel panic - not syncing: Fatal exception")

    def test_second_start(self):
        "last words: of the last start, nothing of the one before"
        self.assertEqual(
            console.last_words(OOPS + "[    0.500000] Kernel panic - x\n"),
            "Kernel panic - x")
        self.assertEqual(
            console.last_words(OOPS + REGISTERS),
            console.last_words(REGISTERS))

    def test_without_times(self):
        "last words: lines without a time count as well"
        self.assertEqual(
            console.last_words("cannot open mem file\nKernel panic - x\n"),
            "cannot open mem file; Kernel panic - x")

    def test_own(self):
        "last words: what the lab's own programs in the host say"
        self.assertEqual(
            console.last_words("lab init: no overlay\n[ 1.0] reboot: off\n"),
            "lab init: no overlay")
        self.assertEqual(
            console.last_words("[    1.0] x\nlab agent: no channel\n"
                               "[    1.0] Kernel panic - init\n"),
            "x; lab agent: no channel; Kernel panic - init")

    def test_silent(self):
        "last words: none, and then the last line"
        self.assertIsNone(console.last_words("[    1.0] all is well\n"))
        self.assertEqual(console.last_line("one\ntwo\n\n"), "two")
        self.assertEqual(console.last_line("\n"), "nothing")
