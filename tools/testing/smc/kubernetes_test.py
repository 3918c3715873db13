#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks the files of packaging/kubernetes against the tree; prints KTAP.

kubernetes_test.py [TREE]

The objects name tools and options that exist, the modules of net/smc, the
version and the port of the tree. Containers have the volumes that they mount,
and no rights that they do not need.
"""

import os
import re
import sys

import yaml

import ktap

HERE = os.path.dirname(os.path.realpath(__file__))
FILES = "packaging/kubernetes"
PAGES = "Documentation/networking/smc"
API = {"DaemonSet": "apps/v1", "Pod": "v1"}
PORT = 37373


class Tree:
    def __init__(self, top):
        self.top = top

    def read(self, *path):
        with open(os.path.join(self.top, *path), encoding="utf-8") as file:
            return file.read()

    def names(self, *path):
        return sorted(os.listdir(os.path.join(self.top, *path)))

    def objects(self):
        """Returns [(file, object)] of all files."""
        return [(name, each) for name in self.names(FILES)
                if name.endswith(".yaml")
                for each in yaml.safe_load_all(self.read(FILES, name))]

    def version(self):
        return re.search(r'SMC_VERSION "(.*)"',
                         self.read("net/smc/base/version.h"))[1]

    def modules(self):
        """Returns the modules, without that of KUnit."""
        return set(re.findall(r"^obj-\$\(CONFIG_SMC(?:_DIAG)?\)\s*\+=\s*(\w+)\.o$",
                              self.read("net/smc/Makefile"), re.M))

    def is_tool(self, name):
        return os.path.isdir(os.path.join(self.top, "tools", name)) and \
            os.path.isfile(os.path.join(self.top, "tools", name + ".8"))

    def options(self, tool):
        """Returns the long options that the help of a tool names."""
        text = "".join(self.read("tools", tool, name)
                       for name in self.names("tools", tool)
                       if name.endswith((".c", ".sh")))
        return set(re.findall(r"--[a-z][a-z-]*", text)) | \
            {"--" + name for name in
             re.findall(r'\{ "([a-z-]+)",\s*(?:no|required)_argument', text)}


def pod_of(each):
    return each["spec"]["template"]["spec"] if each["kind"] == "DaemonSet" \
        else each["spec"]


def containers(each):
    pod = pod_of(each)
    return pod.get("initContainers", []) + pod["containers"]


def commands(container):
    """Returns the commands of a container and its probes."""
    found = [container["command"] + container.get("args", [])]
    for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
        if probe in container:
            found.append(container[probe]["exec"]["command"])
    return found


def wrong_form(tree):
    """Objects have kind, name and labels that fit."""
    for name, each in tree.objects():
        if API.get(each.get("kind")) != each.get("apiVersion"):
            yield f"{name}: {each.get('kind')} of {each.get('apiVersion')}"
        if not re.fullmatch(r"[a-z0-9-]+", each["metadata"]["name"]):
            yield f"{name}: name"
        if each["kind"] == "DaemonSet" and \
           each["spec"]["selector"]["matchLabels"] != \
           each["spec"]["template"]["metadata"]["labels"]:
            yield f"{name}: the selector does not select the pods"


def wrong_command(tree, command):
    program, *words = command
    if not all(isinstance(word, str) for word in command):
        return f"{command}: not only strings"
    if program == "modprobe":
        given = {word for word in words if not word.startswith("-")}
        return None if given == tree.modules() else f"modules {given}"
    if not tree.is_tool(program):
        return None if program == "redis-cli" else f"no tool {program}"
    if program == "smc_run":
        return None if words else "smc_run runs nothing"
    strange = {word for word in words if word.startswith("--")} - \
        tree.options(program)
    if strange:
        return f"{program} has no {strange}"
    if "--port" in words and words[words.index("--port") + 1] != str(PORT):
        return f"{program} at another port"
    return None


def wrong_commands(tree):
    """Commands are tools of the tree with options that they have."""
    for name, each in tree.objects():
        for container in containers(each):
            for command in commands(container):
                wrong = wrong_command(tree, command)
                if wrong:
                    yield f"{name}: {container['name']}: {wrong}"


def wrong_volumes(tree):
    """Containers mount volumes that the pod has, and all of them, where the
    node has these files, too."""
    for name, each in tree.objects():
        volumes = {volume["name"]: volume["hostPath"]["path"]
                   for volume in pod_of(each).get("volumes", [])}
        used = {}
        for container in containers(each):
            for mount in container.get("volumeMounts", []):
                used[mount["name"]] = mount["mountPath"]
                if not mount.get("readOnly"):
                    yield f"{name}: {mount['name']} can be written"
        if used != volumes:
            yield f"{name}: volumes {volumes}, mounts {used}"


def wrong_rights(tree):
    """Only the container that loads the module has a capability."""
    for name, each in tree.objects():
        for container in containers(each):
            rights = container["securityContext"]
            added = rights["capabilities"].get("add", [])
            wanted = ["SYS_MODULE"] if container["command"][0] == "modprobe" \
                else []
            if rights["capabilities"]["drop"] != ["ALL"] or added != wanted or \
               rights.get("privileged") or rights["allowPrivilegeEscalation"]:
                yield f"{name}: rights of {container['name']}"
            if not wanted and not rights.get("runAsNonRoot"):
                yield f"{name}: {container['name']} is root"


def wrong_ports(tree):
    """The port of smc_chk is the one of its source; with the network of the
    host, ports of host and container are the same."""
    if f"CHK_PORT\t= {PORT}," not in tree.read("tools/smc_chk/smc_chk.h"):
        yield f"smc_chk has not the port {PORT}"
    for name, each in tree.objects():
        for container in containers(each):
            for port in container.get("ports", []):
                if port.get("hostPort") != port["containerPort"]:
                    yield f"{name}: {port}"
                if container["command"][0] == "smc_chk" and \
                   port["containerPort"] != PORT:
                    yield f"{name}: {port} is not that of smc_chk"


def wrong_images(tree):
    """Images have the version, and the Containerfile builds each of them from
    packages of the tree."""
    text = tree.read(FILES, "Containerfile")
    built = set(re.findall(r"-t (\S+)", text))
    stages = set(re.findall(r" AS (\S+)$", text, re.M))
    used = {container["image"] for _, each in tree.objects()
            for container in containers(each)}
    if built != used:
        yield f"built {built}, used {used}"
    if set(re.findall(r"--target (\S+)", text)) != stages:
        yield f"stages {stages}"
    for image in built:
        if not image.endswith(":" + tree.version()):
            yield f"{image}: the version is {tree.version()}"
    control = tree.read("packaging/debian/control")
    for package in set(re.findall(r"\b(smcr-[a-z]+)_\*\.deb", text)):
        if f"\nPackage: {package}\n" not in control:
            yield f"no package {package}"


def wrong_pages(tree):
    """The page shows each file, and names what is in them."""
    page = tree.read(PAGES, "kubernetes.rst")
    shown = re.findall(r"^\.\. literalinclude:: (\S+)$", page, re.M)
    there = {os.path.normpath(os.path.join(PAGES, path)) for path in shown}
    files = {f"{FILES}/{name}" for name in tree.names(FILES)}
    if there != files:
        yield f"shown {sorted(there)}, in the tree {sorted(files)}"
    for name, each in tree.objects():
        if each["metadata"]["name"] not in page:
            yield f"{name}: {each['metadata']['name']} is not on the page"


RULES = (wrong_form, wrong_commands, wrong_volumes, wrong_rights, wrong_ports,
         wrong_images, wrong_pages)


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../..")
    tree = Tree(top)
    report = ktap.Report()
    report.result({each["kind"] for _, each in tree.objects()} == set(API),
                  "the files have an object of each kind")
    for rule in RULES:
        wrong = "\n".join(rule(tree))
        report.result(not wrong, rule.__name__.replace("wrong_", ""), wrong)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
