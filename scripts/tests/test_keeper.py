# SPDX-License-Identifier: GPL-2.0
"""Tests how a keeper starts hosts, without a kernel."""

import asyncio
import subprocess
import tempfile
import types
import unittest
from unittest import mock

from lablib import frames, host, keeper, launch

LATE = 2    # seconds


class Again(unittest.TestCase):
    """self.acts: what the host does, one element for each start"""

    def _set_up(self, acts, uml=False):
        """Returns how often the host was started. Raises what _set_up() of the
        keeper raises."""
        started = []

        def start(_plan, _config, channel, _wires):
            act = acts[len(started)]
            if act == "report":
                channel.sendall(frames.agent_frame(frames.HELLO, 0))
            argv = ["false"] if act == "end" else ["sleep", "60"]
            # pylint: disable-next=consider-using-with
            started.append(subprocess.Popen(argv, start_new_session=True))
            return started[-1]

        async def run():
            plan = types.SimpleNamespace(
                name="a", rxe=None, modules=(),
                kernel=types.SimpleNamespace(is_uml=uml))
            kept.hosts["a"] = host.Host(plan, config)
            try:
                await kept.hosts["a"].start([])
                await kept._set_up(kept.hosts["a"])
            finally:
                kept.tear_down()

        with tempfile.TemporaryDirectory() as where, \
             mock.patch.object(launch, "start", start), \
             mock.patch.dict(keeper.START_LIMIT, {True: LATE, False: LATE}):
            config = {"run": where, "hosts": [], "nics": 0}
            kept = keeper.Keeper(config)
            kept._must = mock.AsyncMock()
            asyncio.run(run())
        self.assertEqual(kept._must.await_count, 1)
        return len(started)

    def test_reports(self):
        "keeper: a host that reports is started once"
        self.assertEqual(self._set_up(["report"]), 1)

    def test_late(self):
        "keeper: a host under QEMU that does not report is started once more"
        self.assertEqual(self._set_up(["wait", "report"]), 2)

    def test_ends(self):
        "keeper: a host under QEMU that ends early is started once more"
        self.assertEqual(self._set_up(["end", "report"]), 2)

    def test_late_twice(self):
        "keeper: a host that does not report twice is an error"
        with self.assertRaises(host.HostLate):
            self._set_up(["wait", "wait"])

    def test_uml(self):
        "keeper: a host under User Mode Linux is not started again"
        with self.assertRaises(host.HostLate):
            self._set_up(["wait"], uml=True)
