# SPDX-License-Identifier: GPL-2.0
"""The functions of a host's kernel and of its modules, by address."""

import bisect

FUNCTION_MAX = 65536


class Symbols:
    """A host's kallsyms."""

    def __init__(self, text):
        self.table = sorted(self._parse(text))
        self.starts = [start for start, _ in self.table]

    @staticmethod
    def _parse(text):
        for line in text.splitlines():
            words = line.split()
            if len(words) >= 3 and words[1] in "tTwW":
                yield int(words[0], 16), " ".join(words[2:])

    def name(self, address):
        """Returns the function that contains an address, with the name of its
        module: "NAME [MODULE]". Returns None if there is no such function."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0 or address - self.starts[i] > FUNCTION_MAX:
            return None
        return self.table[i][1]

    def is_start(self, address):
        """Does a function begin at this address?"""
        i = bisect.bisect_left(self.starts, address)
        return i < len(self.starts) and self.starts[i] == address

    def functions_of(self, module):
        """Returns the names of the functions of a module."""
        return {name.split()[0] for _, name in self.table
                if name.endswith(f"[{module}]")}

    def starts_of(self, function):
        """Returns the addresses of the functions with this name."""
        return {start for start, name in self.table
                if name.split()[0] == function}


def of(hosts, host):
    """Reads the symbols of a host."""
    return Symbols(hosts.run(host, ["cat", "/proc/kallsyms"], 60))
