# SPDX-License-Identifier: GPL-2.0
"""AF_SMC sockets, and TCP sockets that show option 254."""

import ctypes
import errno
import os
import select
import socket
import struct
import time

from smctest import Failure, check, wire

AF_SMC = 43
TCP_ULP = 31
PATIENCE = 8        # seconds for events that should happen at once

_libc = ctypes.CDLL(None, use_errno=True)


def is_v6(host):
    return ":" in host


def _address(host, port):
    if is_v6(host):
        return (struct.pack("=H", socket.AF_INET6) +
                struct.pack(">HI", port, 0) +
                socket.inet_pton(socket.AF_INET6, host) + bytes(4))
    return (struct.pack("=H", socket.AF_INET) + struct.pack(">H", port) +
            socket.inet_aton(host) + bytes(8))


def _call(result):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


# Python does not support addresses of this family, so these functions call
# libc.

def smc_socket(host):
    """Returns an AF_SMC socket for addresses of the host's family."""
    return socket.socket(AF_SMC, socket.SOCK_STREAM, 1 if is_v6(host) else 0)


def smc_connect(sock, host, port):
    address = _address(host, port)
    _call(_libc.connect(sock.fileno(), address, len(address)))


def smc_listen(host, port, backlog):
    sock = smc_socket(host)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    address = _address(host, port)
    _call(_libc.bind(sock.fileno(), address, len(address)))
    sock.listen(backlog)
    return sock


def raw_name(sock):
    """Returns the bytes of the local address."""
    name, length = ctypes.create_string_buffer(28), ctypes.c_uint(28)
    _call(_libc.getsockname(sock.fileno(), name, ctypes.byref(length)))
    return name.raw[:length.value]


def smc_accept(sock):
    fd = _call(_libc.accept(sock.fileno(), None, None))
    return socket.socket(AF_SMC, socket.SOCK_STREAM, 0, fileno=fd)


def option_socket(host):
    """A TCP socket that shows the option; the program controls all its
    bytes."""
    family = socket.AF_INET6 if is_v6(host) else socket.AF_INET
    sock = socket.socket(family)
    sock.setsockopt(socket.IPPROTO_TCP, TCP_ULP, b"smc_opt")
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def option_listen(host, port=0):
    sock = option_socket(host)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, port))
    sock.listen(64)
    sock.settimeout(PATIENCE)
    return sock


def reset(sock):
    """Closes the socket with RST."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    sock.close()


def send_split(sock, data):
    """Sends each byte in its own segment."""
    for byte in data:
        sock.sendall(bytes([byte]))
        time.sleep(0.001)


def read(sock, length):
    """Receives exactly this number of bytes."""
    data = b""
    while len(data) < length:
        try:
            piece = sock.recv(length - len(data))
        except TimeoutError:
            raise Failure(
                f"no answer, only {data.hex() or 'nothing'}") from None
        except OSError as err:
            raise Failure(f"{errno.errorcode.get(err.errno)} instead of an "
                          f"answer, after {data.hex() or 'nothing'}") from None
        if not piece:
            raise Failure(f"end instead of an answer, after "
                          f"{data.hex() or 'nothing'}")
        data += piece
    return data


def read_message(sock):
    head = read(sock, wire.HEADER_LEN)
    length = int.from_bytes(head[wire.AT_LENGTH:wire.AT_LENGTH + 2], "big")
    check(head[:4] == wire.EYE and wire.HEADER_LEN < length <= 652,
          f"this is no CLC message: {head.hex()}")
    message = wire.Message(head + read(sock, length - wire.HEADER_LEN))
    check(message.data[-4:] == wire.EYE, f"{message} has no trailer")
    return message


def expect(sock, kind, version=1):
    """Returns the next message, which must be of this kind and version."""
    message = read_message(sock)
    check(message.kind == kind and message.version == version,
          f"{message} is not of type {kind}, version {version}")
    return message


def expect_decline(sock, code, sync=False, version=1):
    message = expect(sock, wire.DECLINE, version)
    check(message.diagnosis == code,
          f"declined with {message.diagnosis:08x}, not {code:08x}")
    check(message.flag == sync, f"S flag of {message}")


def expect_gone(sock):
    """Checks that TCP ends without any byte."""
    try:
        data = sock.recv(100)
    except TimeoutError:
        raise Failure("the TCP connection lives on") from None
    except OSError as err:
        check(err.errno in (errno.ECONNRESET, errno.EPIPE), repr(err))
        return
    check(not data, f"an answer instead of the end: {data.hex()}")


def expect_open(sock):
    """Checks that neither data nor an end has arrived."""
    ready, _, _ = select.select([sock], [], [], 0)
    check(not ready, "something came, or the connection has ended")


def expect_echo(sock, data=b"hello"):
    """Checks that the application at the other end receives our bytes."""
    sock.sendall(data)
    got = read(sock, len(data))
    check(got == data, f"{got!r} came back for {data!r}")
