# SPDX-License-Identifier: GPL-2.0
"""Tests how the command line of "lab up" describes each host."""

import os
import tempfile
import unittest
from unittest import mock

from lablib import LabError, cli, kernels, launch, place, plan


def hosts(*words):
    """Returns the hosts of "lab up WORDS", without building anything
    for them."""
    return plan.asked_for(cli.command_line().parse_args(["up", *words]))


class Plan(unittest.TestCase):
    def setUp(self):
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        patch = mock.patch.dict(os.environ, SMC_LAB_CACHE=cache.name)
        patch.start()
        self.addCleanup(patch.stop)

    def _refused(self, why, *words):
        with self.assertRaisesRegex(LabError, why):
            hosts(*words)

    def test_kernels(self):
        "lab up: a kernel for both, or one for each"
        both = hosts("--kernel", "6.1")
        self.assertEqual([h.wanted for h in both], ["6.1", "6.1"])
        each = hosts("--a-kernel", "6.1", "--b-kernel", "6.12", "--b", "stock")
        self.assertEqual([str(h) for h in each],
                         ["ours on 6.1", "stock on 6.12"])
        one = hosts("--kernel", "6.12", "--b-kernel", "6.1")
        self.assertEqual([h.wanted for h in one], ["6.12", "6.1"])
        alone = hosts("--kernel", "6.12", "--b-kernel", "uml", "--hosts", "1")
        self.assertEqual([h.wanted for h in alone], ["6.12"])

    def test_kinds(self):
        "lab up: both hosts are of one kind"
        self._refused("uml on host a and 6.12 on host b: no cable",
                      "--kernel", "uml", "--b-kernel", "6.12")
        hosts("--a-kernel", "uml", "--b-kernel", "uml-debug", "--switch")
        self._refused("switch", "--kernel", "6.1", "--switch")
        self._refused("--smp", "--kernel", "uml-debug", "--smp", "2")
        self._refused("--qemu", "--kernel", "uml", "--qemu=-s")

    def test_rebuilt(self):
        "lab up: stock SMC of 6.1 speaks SMC-R with a rebuilt rdma_rxe only"
        stock = ("--a", "stock", "--b", "stock")
        self._refused("host a: stock SMC .*--a-rxe", "--kernel", "6.1",
                      *stock)
        self._refused("host b: .*--b-rxe", "--kernel", "6.1", *stock,
                      "--a-rxe", "rebuilt")
        self._refused("host b", "--kernel", "6.12", "--b-kernel", "6.1", *stock)
        pair = hosts("--kernel", "6.1", *stock, "--a-rxe", "rebuilt",
                     "--b-rxe", "rebuilt")
        self.assertEqual(str(pair[0]),
                         "stock on 6.1 with a rebuilt rdma_rxe")
        # Such hosts are allowed for tests without SMC-R.
        hosts("--kernel", "6.1", "--b", "stock")
        self._refused("host b: .* not for 6.12", "--kernel", "6.12",
                      "--b-rxe", "rebuilt")

    def test_root(self):
        "lab up: a root for each host"
        with tempfile.TemporaryDirectory() as root:
            root = os.path.realpath(root)
            self._refused("host b: .* has no bin/sh", "--b-root", root)
            os.mkdir(os.path.join(root, "bin"))
            os.symlink("busybox", os.path.join(root, "bin/sh"))
            a, b = hosts("--b-root", f"{root}/bin/..")
            self.assertEqual([a.root, b.root], ["/", root])
            self._refused("no name for a root", "--a-root", f"{root}/a:b")
            b.kernel = kernels.Kernel("6.12", "", release="6.12.0-x")
            self.assertIn("/lib/modules/6.12.0-x", b.shared())
            self.assertIn(place.TREE, b.shared())
            os.makedirs(f"{root}/lib/modules/6.12.0-x")
            self.assertNotIn("/lib/modules/6.12.0-x", b.shared())
            self.assertEqual(a.shared(), [])

    def test_systemd(self):
        "lab up --systemd: for QEMU hosts whose roots have it"
        self._refused("host a: --systemd", "--kernel", "6.12", "--systemd")
        with tempfile.TemporaryDirectory() as root:
            for name in ("bin/sh", plan.SYSTEMD):
                os.makedirs(os.path.join(root, os.path.dirname(name)))
                os.symlink("busybox", os.path.join(root, name))
            roots = ("--a-root", root, "--b-root", root)
            self._refused("host a: --systemd", *roots, "--systemd")
            a, b = hosts("--kernel", "6.12", *roots, "--systemd")
            self.assertTrue(a.systemd and b.systemd)
            a.kernel = kernels.Kernel("6.12", "", release="6.12.0-x")
            words = launch.uml_command(
                a, {"run": "/run", "mem": None, "boot": []}, 9, [])
            self.assertIn("LAB_SYSTEMD=yes", words)
            self.assertIn("net.ifnames=0", words)
            os.unlink(os.path.join(root, plan.SYSTEMD))
            self._refused("host a: --systemd", "--kernel", "6.12", *roots,
                          "--systemd")

    def test_command(self):
        "lab up: each host is started with a kernel of its own"
        a, b = hosts("--kernel", "6.12", "--b-kernel", "6.1")
        for host in (a, b):
            host.kernel = kernels.Kernel(host.wanted, f"image-{host.wanted}",
                                         build="somewhere")
        config = {"run": "/run", "mem": None, "boot": ["security=selinux"]}
        self.assertEqual(launch.uml_command(a, config, 9, [])[0], "image-6.12")
        self.assertEqual(launch.uml_command(b, config, 9, [])[0], "image-6.1")
        self.assertIn("security=selinux",
                      launch.uml_command(a, config, 9, []))

    def test_qemu(self):
        "lab up --qemu: words for the command line of QEMU"
        words = ("--kernel", "6.12", "--qemu=-name", "--qemu=x y")
        args = cli.command_line().parse_args(["up", *words])
        host = plan.asked_for(args)[0]
        host.kernel = kernels.Kernel("6.12", "image", build="somewhere")
        config = {"run": "/run", "mem": None, "smp": 1, "boot": [],
                  "qemu": args.qemu}
        with mock.patch.object(launch.cached, "initramfs", lambda *_: "initrd"):
            command = launch.qemu_command(host, config, 9, [])
        self.assertEqual(command[-2:], ["-name", "x y"])
