#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Runs a command on a terminal, and prints what the terminal shows at the end.

on_terminal.py COLUMNS LINES WORDS COMMAND...

When the terminal shows the words, the user presses Ctrl-C. The exit status is
the one of the command. The terminal knows the escape sequences that smcr uses,
and no others.
"""

import fcntl
import os
import pty
import re
import struct
import sys
import termios


def screen_of(text, lines):
    """The last screen, as a list of lines."""
    last = text.split("\033[H")[-1]
    rows = re.sub(r"\033\[[KJ]", "", last).replace("\r", "").split("\n")
    if "\033" in "".join(rows):
        sys.exit("an escape sequence that is not known")
    if len(rows) > lines:
        sys.exit(f"{len(rows)} lines")
    return rows


def main():
    columns, lines = int(sys.argv[1]), int(sys.argv[2])
    words, command = sys.argv[3], sys.argv[4:]
    pid, fd = pty.fork()
    if not pid:
        fcntl.ioctl(0, termios.TIOCSWINSZ,
                    struct.pack("HHHH", lines, columns, 0, 0))
        os.execvp(command[0], command)
    text, stopped = "", False
    while True:
        try:
            got = os.read(fd, 65536)
        except OSError:         # the command has ended
            break
        if not got:
            break
        text += got.decode()
        whole = text.rpartition("\033[J")[0]
        if words in whole and not stopped:
            os.write(fd, b"\003")
            stopped = True
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    rows = screen_of(text.replace("^C", ""), lines)
    wide = [row for row in rows if len(row) > columns]
    print("\n".join(rows).rstrip())
    if wide:
        print(f"lines too long: {wide}")
    sys.exit(status)


if __name__ == "__main__":
    main()
