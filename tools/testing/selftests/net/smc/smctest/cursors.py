# SPDX-License-Identifier: GPL-2.0
"""Moves bytes over an in-host connection, and compares the cursors of both ends
with them.

run_module cursors SMCSS

Prints each difference. The number of bytes is more than three laps of an
element.
"""

import json
import subprocess
import sys
import threading
import time

from smctest import sockets

HOST = "127.0.0.1"
PATIENCE = 60       # seconds
LAPS = 3
EXTRA = 123


def conns(smcss, ports):
    """Returns the connection of each port, from "smcss --details"."""
    out = subprocess.run([smcss, "--details", "--json"], check=True,
                         capture_output=True, timeout=PATIENCE).stdout
    return {s["local"]["port"]: s["connection"] for s in json.loads(out)
            if s["local"]["port"] in ports and "connection" in s}


def position(cursor, size):
    return cursor["wrap"] * size + cursor["count"]


def differences(sender, receiver, sent):
    """Yields each cursor that does not match the number of bytes."""
    element = receiver["rmbe"]
    for name, end, cursor, size in (
            ("written", sender, "tx_prod", sender["peer_rmbe"]),
            ("heard of", receiver, "rx_prod", element),
            ("queued", sender, "tx_prep", sender["sndbuf"]),
            ("read, as told", receiver, "tx_cons", element),
            ("read, as heard", sender, "rx_cons", sender["peer_rmbe"])):
        at = position(end[cursor], size)
        # The reader announces its position when enough of the element is free.
        least = sent - element if "read" in name else sent
        if not least <= at <= sent:
            yield f"{name}: {at}, not {sent}"
    for name, end, cursor in (("written", receiver, "tx_prod"),
                              ("heard of", sender, "rx_prod")):
        if end[cursor]["wrap"] or end[cursor]["count"]:
            yield f"the other direction, {name}: {end[cursor]}"


def drain(sock, count):
    while count:
        count -= len(sock.recv(min(count, 65536)))


def main():
    smcss = sys.argv[1]
    listener = sockets.smc_listen(HOST, 0, 1)
    port = int.from_bytes(sockets.raw_name(listener)[2:4], "big")
    client = sockets.smc_socket(HOST)
    sockets.smc_connect(client, HOST, port)
    server = sockets.smc_accept(listener)
    listener.close()
    own = int.from_bytes(sockets.raw_name(client)[2:4], "big")
    element = conns(smcss, {own})[own]["peer_rmbe"]
    sent = LAPS * element + EXTRA
    reader = threading.Thread(target=drain, args=(server, sent))
    reader.start()
    client.sendall(bytes(sent))
    reader.join(PATIENCE)
    end = time.monotonic() + PATIENCE
    while True:
        found = conns(smcss, {own, port})
        wrong = list(differences(found[own], found[port], sent))
        if not wrong or time.monotonic() > end:
            break
    print("\n".join(wrong))


if __name__ == "__main__":
    main()
