#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Draws the pictures of the pages, as SVG.

pictures.py [--check]

Ladders are written as lists of steps, so that a change of the protocol is a
change of a line here. With --check the program compares the files, and parses all
pictures of the directory.
"""

import glob
import os
import sys
import xml.etree.ElementTree
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.realpath(__file__))
DIRECTORY = os.path.join(HERE, "../../../Documentation/networking/smc/pictures")

INK, GREY, PALE = "#22303c", "#6b7883", "#eef2f5"
TCP, CLC, RDMA, BAD = "#6b7883", "#1f6fb2", "#c2571a", "#b3261e"
KINDS = {"tcp": TCP, "clc": CLC, "llc": RDMA, "cdc": RDMA, "bad": BAD}
FONT = "system-ui, 'DejaVu Sans', Verdana, sans-serif"


class Picture:
    """Collects the elements of an SVG."""

    def __init__(self, width, title):
        self.width = width
        self.title = title
        self.body = []

    def text(self, x, y, words, size=14, color=INK, anchor="middle", bold=False):
        weight = ' font-weight="600"' if bold else ""
        self.body.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" '
            f'text-anchor="{anchor}"{weight}>{escape(words)}</text>')

    def box(self, x, y, width, height, fill=PALE, line=GREY):
        self.body.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
            f'rx="6" fill="{fill}" stroke="{line}"/>')

    def line(self, x1, y1, x2, y2, color=GREY, dash="", arrow=False, thick=1.5):
        end = f' marker-end="url(#{color[1:]})"' if arrow else ""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.body.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" '
            f'stroke="{color}" stroke-width="{thick:g}"{dashes}{end}/>')

    def svg(self, height):
        """Returns the whole file."""
        markers = "".join(
            f'<marker id="{color[1:]}" viewBox="0 0 10 10" refX="9" refY="5" '
            'markerUnits="userSpaceOnUse" markerWidth="12" markerHeight="12" '
            'orient="auto">'
            f'<path d="M0,0 L10,5 L0,10 z" fill="{color}"/></marker>\n'
            for color in sorted({TCP, CLC, RDMA, BAD, INK}))
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {self.width} {height:g}" width="{self.width}" '
            f'height="{height:g}" font-family="{FONT}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n<defs>\n{markers}</defs>\n"
            f'<rect width="{self.width}" height="{height:g}" fill="#ffffff"/>\n'
            + "\n".join(self.body) + "\n</svg>\n")


# A step is (kind, direction, label, remark). Directions: ">" from the left to
# the right, "<" back, "|" a note across, "=" a heading.
FIRST = (
    ("tcp", "=", "TCP handshake", ""),
    ("tcp", ">", "SYN, option 254", "I know SMC-R"),
    ("tcp", "<", "SYN ACK, option 254", "so do I; without it: TCP"),
    ("tcp", ">", "ACK", ""),
    ("clc", "=", "CLC, as bytes of the TCP connection", ""),
    ("clc", ">", "PROPOSAL", "peer ID, addresses, EIDs"),
    ("clc", "<", "ACCEPT, first contact", "queue pair, key and place of the element"),
    ("clc", ">", "CONFIRM", "the same of the client; or DECLINE: TCP"),
    ("llc", "=", "LLC, over the new queue pairs", ""),
    ("llc", "<", "CONFIRM LINK, request", "RDMA works in this direction"),
    ("llc", ">", "CONFIRM LINK, response", "and in that one"),
    ("llc", "<", "ADD LINK, request", "if both hosts have a second adapter"),
    ("llc", ">", "ADD LINK, response", "then the keys of all RMBs"),
    ("cdc", "=", "data", ""),
    ("cdc", ">", "RDMA WRITE + CDC message", "bytes go into the peer's element"),
    ("cdc", "<", "RDMA WRITE + CDC message", ""),
)
LATER = (
    ("tcp", "=", "TCP handshake", ""),
    ("tcp", ">", "SYN, option 254", ""),
    ("tcp", "<", "SYN ACK, option 254", ""),
    ("tcp", ">", "ACK", ""),
    ("clc", "=", "CLC, as bytes of the TCP connection", ""),
    ("clc", ">", "PROPOSAL", ""),
    ("clc", "<", "ACCEPT", "a link of the group, an element of an RMB"),
    ("clc", ">", "CONFIRM", "no queue pair, no registration, no LLC"),
    ("cdc", "=", "data", ""),
    ("cdc", ">", "RDMA WRITE + CDC message", ""),
    ("cdc", "<", "RDMA WRITE + CDC message", ""),
)
FAILOVER = (
    ("cdc", "=", "a group with two links", ""),
    ("cdc", ">", "link 1: WRITE + CDC 41", "delivered"),
    ("bad", ">", "link 1: WRITE + CDC 42", "lost"),
    ("bad", "|", "link 1 fails: completion error, port event, or TEST LINK "
     "without answer", ""),
    ("cdc", "=", "its connections move to link 2", ""),
    ("cdc", ">", "link 2: CDC with flag F", "the last message that was delivered: 41"),
    ("cdc", ">", "link 2: WRITE + CDC 42", "again, from the first byte in doubt"),
    ("cdc", "<", "link 2: CDC", "the other direction does the same"),
    ("cdc", "|", "If a message is missing, the connection is reset", ""),
    ("llc", "=", "the group repairs itself", ""),
    ("llc", "<", "DELETE LINK 1", "the server deletes the dead link"),
    ("llc", ">", "DELETE LINK 1, response", ""),
    ("llc", "<", "ADD LINK", "when an adapter is there again"),
)


def ladder(title, steps):
    """Returns the SVG of two hosts and the messages that they exchange."""
    width, left, right = 860, 150, 520
    pic = Picture(width, title)
    rows = []
    y = 62
    for kind, way, label, remark in steps:
        y += 46 if way == "=" else 36
        rows.append((y, kind, way, label, remark))
    bottom = y + 24
    for x, name in ((left, "Client"), (right, "Server")):
        pic.box(x - 60, 16, 120, 32)
        pic.text(x, 37, name, 15, bold=True)
        pic.line(x, 48, x, bottom)
    for y, kind, way, label, remark in rows:
        color = KINDS[kind]
        if way == "=":
            pic.line(24, y - 14, width - 24, y - 14, PALE)
            pic.body.append(
                f'<rect x="{(left + right) / 2 - 150:g}" y="{y - 26:g}" '
                'width="300" height="24" rx="12" fill="#ffffff" '
                f'stroke="{color}"/>')
            pic.text((left + right) / 2, y - 9, label, 13, color, bold=True)
        elif way == "|":
            pic.box(left - 20, y - 20, right - left + 40 + 260, 26, "#fdf3ec"
                    if kind != "bad" else "#fbeceb", color)
            pic.text(left + 4, y - 2, label, 13, color, "start")
        else:
            start, end = (left, right) if way == ">" else (right, left)
            lost = kind == "bad"
            if lost:
                end = start + (end - start) * 0.82
            step = 2 if way == ">" else -2
            pic.line(start + step, y, end - step, y, color,
                     "5 4" if lost else "", True, 2)
            if lost:
                pic.text(end + 14, y + 6, "\u2715", 17, BAD, bold=True)
            pic.text((left + right) / 2, y - 7, label, 13, color)
            pic.text(right + 24, y + 4, remark, 12, GREY, "start")
    return pic.svg(bottom + 16)


def stack(pic, x, name, program):
    """Draws one host of the architecture, 250 wide."""
    wide = 270
    pic.box(x, 16, wide, 412, "#ffffff", GREY)
    pic.text(x + wide / 2, 40, name, 15, bold=True)
    pic.box(x + 20, 54, wide - 40, 40, "#e8f1e4", "#5a8f47")
    pic.text(x + wide / 2, 79, program)
    pic.text(x + wide / 2, 112, "socket(), connect(), send(), recv()", 12, GREY)
    pic.box(x + 20, 122, wide - 40, 44, "#e3eef8", CLC)
    pic.text(x + wide / 2, 149, "AF_SMC socket", bold=True)
    pic.line(x + 82, 166, x + 82, 200, TCP, "", True)
    pic.line(x + wide - 72, 166, x + wide - 72, 200, RDMA, "", True, 2.5)
    pic.text(x + 74, 188, "handshake", 11, GREY, "end")
    pic.text(x + wide - 84, 188, "data", 11, RDMA, "end")
    pic.box(x + 20, 202, 110, 128)
    pic.text(x + 75, 262, "TCP socket")
    pic.text(x + 75, 282, "also for all data", 11, GREY)
    pic.text(x + 75, 297, "after a fallback", 11, GREY)
    pic.box(x + 144, 202, 106, 128, "#fdf3ec", RDMA)
    pic.text(x + 197, 226, "link group")
    pic.box(x + 154, 238, 86, 34, "#ffffff", RDMA)
    pic.text(x + 197, 260, "RMB", 13)
    pic.box(x + 154, 282, 86, 34, "#ffffff", RDMA)
    pic.text(x + 197, 304, "queue pairs", 13)
    pic.box(x + 20, 352, wide - 40, 56)
    pic.text(x + wide / 2, 376, "adapter with RoCE")
    pic.text(x + wide / 2, 396, "writes into memory without the kernel", 11,
             GREY)
    pic.line(x + 75, 330, x + 75, 350, TCP, "", True)
    pic.line(x + 197, 330, x + 197, 350, RDMA, "", True, 2.5)


def architecture():
    """Returns the SVG of two hosts and the two ways between them."""
    pic = Picture(860, "An SMC-R connection: TCP for the handshake, RDMA for "
                  "the data")
    stack(pic, 16, "Host A", "nginx, unmodified")
    stack(pic, 574, "Host B", "curl, unmodified")
    pic.line(290, 392, 570, 392, RDMA, "", True, 4)
    pic.line(300, 392, 290, 392, RDMA, "", True, 4)
    pic.text(430, 382, "RDMA WRITE: the data", 14, RDMA, bold=True)
    pic.line(290, 266, 570, 266, TCP, "6 4", True)
    pic.line(300, 266, 290, 266, TCP, "", True)
    pic.text(430, 242, "TCP: the handshake, and", 13, TCP)
    pic.text(430, 258, "everything if SMC-R is not possible", 13, TCP)
    return pic.svg(446)


PICTURES = {
    "architecture.svg": architecture,
    "first-contact.svg": lambda: ladder(
        "First contact: the first connection between two hosts", FIRST),
    "later-contact.svg": lambda: ladder(
        "A later connection between the same hosts", LATER),
    "failover.svg": lambda: ladder("A link fails", FAILOVER),
}


def main():
    wrong = []
    for name, draw in PICTURES.items():
        path = os.path.join(DIRECTORY, name)
        new = draw()
        if "--check" not in sys.argv[1:]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
            continue
        try:
            with open(path, encoding="utf-8") as file:
                if file.read() != new:
                    wrong.append(name)
        except FileNotFoundError:
            wrong.append(name)
    for path in glob.glob(os.path.join(DIRECTORY, "*.svg")):
        try:
            xml.etree.ElementTree.parse(path)
        except xml.etree.ElementTree.ParseError as err:
            wrong.append(f"{os.path.basename(path)} ({err})")
    if wrong:
        print(f"make -C tools/testing/smc doc: {', '.join(wrong)}",
              file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
