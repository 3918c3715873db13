# SPDX-License-Identifier: GPL-2.0
"""One network for all NICs of a lab, used in place of one cable per NIC."""

import asyncio

FRAME_MAX = 65536
MAC = 6
GROUP = 1       # bit of the first byte of a MAC: broadcast or multicast


class Switch:
    """Learns the port of each MAC, as real switches do. A port whose queue is
    full loses frames."""

    def __init__(self):
        self._ports = []
        self._place = {}        # MAC -> port

    def plug(self, end):
        """Connects this end of a cable, which carries whole frames."""
        end.setblocking(False)
        self._ports.append(end)
        asyncio.get_running_loop().add_reader(end.fileno(), self._read, end)

    def unplug(self):
        """Disconnects all cables. The host at a cable without a peer is about
        to end."""
        for end in self._ports:
            asyncio.get_running_loop().remove_reader(end.fileno())
            end.close()
        self._ports.clear()

    def _read(self, port):
        try:
            frame = port.recv(FRAME_MAX)
        except (BlockingIOError, InterruptedError, ConnectionError):
            return
        if frame:
            self._forward(port, frame)

    def _forward(self, port, frame):
        to, source = frame[:MAC], frame[MAC:2 * MAC]
        self._place[source] = port
        known = None if to[0] & GROUP else self._place.get(to)
        for other in [known] if known else self._ports:
            if other is not port:
                self._write(other, frame)

    @staticmethod
    def _write(port, frame):
        try:
            port.send(frame)
        except OSError:         # the queue is full, or the host has ended
            pass
