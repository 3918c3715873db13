# SPDX-License-Identifier: GPL-2.0
"""The two byte streams of the lab: between keeper and agent, and between
client and keeper."""

import struct

# Frames between keeper and agent. guest/agent.c has the agent's side.
EXEC, KILL, ACK, POWEROFF = 1, 2, 3, 4
HELLO, OUT, ERR, EXIT = 16, 17, 18, 19

_AGENT = struct.Struct("<BxHI")
_CLIENT = struct.Struct("<cI")


def agent_frame(kind, job, data=b""):
    return _AGENT.pack(kind, job, len(data)) + data


async def read_agent_frame(reader):
    """Returns (kind, job, data) of the next frame from an agent."""
    kind, job, length = _AGENT.unpack(await reader.readexactly(_AGENT.size))
    return kind, job, await reader.readexactly(length)


def command(argv, cwd, env):
    """Returns the payload of an EXEC frame."""
    strings = [cwd, str(len(argv)), *argv]
    strings += [f"{key}={value}" for key, value in env.items()]
    return b"".join(s.encode(errors="surrogateescape") + b"\0"
                    for s in strings)


def client_frame(kind, data):
    """Returns a frame; kind is b"o" (stdout), b"e" (stderr) or b"x" (the end,
    JSON)."""
    return _CLIENT.pack(kind, len(data)) + data


def read_client_frame(file):
    """Returns (kind, data) of the next frame from the keeper; None at
    the end."""
    head = file.read(_CLIENT.size)
    if len(head) < _CLIENT.size:
        return None
    kind, length = _CLIENT.unpack(head)
    data = file.read(length)
    return (kind, data) if len(data) == length else None
