# SPDX-License-Identifier: GPL-2.0
"""Decodes a netlink family by its YAML spec. Any difference from the spec is
an error."""

import os
import struct

from smctest.ktap import lacking

try:
    import yaml
except ImportError:
    lacking("python3-yaml")

from smctest.netlink import SPECS, genl

NUMBERS = {"u8": "=B", "u16": "=H", "u32": "=I", "u64": "=Q"}


class Wrong(Exception):
    """The kernel sent something that the spec does not contain."""


class Family:
    def __init__(self, name, link):
        path = os.path.join(SPECS, name + ".yaml")
        if not os.path.exists(path):
            lacking(path)
        with open(path, encoding="utf-8") as file:
            spec = yaml.safe_load(file)
        self.link = link
        self.name = spec["name"]
        self.version = spec["version"]
        self.sets = {s["name"]: {a["value"]: a for a in s["attributes"]}
                     for s in spec["attribute-sets"]}
        self.ops = {op["name"]: op for op in spec["operations"]["list"]}
        self.by_value = {op["value"]: op for op in self.ops.values()}

    # -- decoding ----------------------------------------------------------

    def _value(self, attr, nested, data, where):
        kind = attr["type"]
        if nested != (kind == "nest"):
            raise Wrong(f"{where}: nested flag is {nested}, type {kind}")
        if kind == "nest":
            return self._nest(attr["nested-attributes"], data, where)
        if kind == "string":
            if not data.endswith(b"\0") or b"\0" in data[:-1]:
                raise Wrong(f"{where}: not one string: {data!r}")
            return data[:-1].decode()
        if kind == "uint":
            kind = {4: "u32", 8: "u64"}.get(len(data), "u64")
        if len(data) != struct.calcsize(NUMBERS[kind]):
            raise Wrong(f"{where}: {len(data)} bytes for {kind}")
        return struct.unpack(NUMBERS[kind], data)[0]

    def _nest(self, set_name, data, where):
        attrs, found = self.sets[set_name], {}
        for kind, nested, payload in genl.attributes(data):
            attr = attrs.get(kind)
            if not attr:
                raise Wrong(f"{where}: unknown attribute {kind}")
            name = attr["name"]
            if attr["type"] == "pad":
                if payload:
                    raise Wrong(f"{where}: padding with content")
                continue
            if name in found:
                raise Wrong(f"{where}: {name} twice")
            found[name] = self._value(attr, nested, payload,
                                      f"{where}.{name}")
        return found

    def _message(self, op, what, bits, body):
        if what != self.link.family(self.name):
            raise Wrong(f"{op['name']}: message of type {what}")
        if not bits & genl.NLM_F_MULTI:
            raise Wrong(f"{op['name']}: not part of a list")
        cmd, version, _ = struct.unpack_from("=BBH", body)
        if version != self.version or cmd not in self.by_value:
            raise Wrong(f"{op['name']}: command {cmd} version {version}")
        told = self.by_value[cmd]
        reply = self._nest(told["attribute-set"], body[4:], told["name"])
        allowed = op[("dump" if "dump" in op else "do")]["reply"]["attributes"]
        if not set(reply) <= set(allowed):
            raise Wrong(f"{op['name']}: {set(reply)} in a reply")
        return told["name"], reply

    # -- calls -------------------------------------------------------------

    def _encode(self, op, values):
        attrs = {a["name"]: a for a in self.sets[op["attribute-set"]].values()}
        data = b""
        for name, value in values.items():
            attr = attrs[name]
            if isinstance(value, bytes):
                payload = value
            elif attr["type"] == "string":
                payload = value.encode() + b"\0"
            else:
                payload = struct.pack(NUMBERS[attr["type"]], value)
            data += genl.attribute(attr["value"], payload)
        return data

    def _call(self, op, flags, data):
        head = struct.pack("=BBH", op["value"], self.version, 0)
        return self.link.request(self.link.family(self.name), flags,
                                 head + data)

    def do(self, name, /, raw=b"", **values):
        """Runs a command; raises Refused if the kernel refuses."""
        op = self.ops[name]
        self._call(op, genl.NLM_F_ACK, self._encode(op, values) + raw)

    def get(self, name, /, **values):
        """Returns [(operation, {attribute: value})] of a request without the
        dump flag."""
        op = self.ops[name]
        return [self._message(op, *answer)
                for answer in self._call(op, 0, self._encode(op, values))]

    def dump(self, name, /, raw=b""):
        """Returns [(operation, {attribute: value})] of a request with the dump
        flag."""
        op = self.ops[name]
        return [self._message(op, *answer)
                for answer in self._call(op, genl.NLM_F_DUMP, raw)]
