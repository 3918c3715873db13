# SPDX-License-Identifier: GPL-2.0
"""Small files that are built once and kept in the cache: the agent, the
initramfs."""

import contextlib
import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile

from lablib import LabError, place

DPKG_STATUS = "/var/lib/dpkg/status"
# Modules with which a QEMU host mounts the machine's root.
INITRAMFS_MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")


def _key(*parts):
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:12]


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _run(argv, what, **kwargs):
    try:
        done = subprocess.run(argv, capture_output=True, check=False, **kwargs)
    except FileNotFoundError:
        raise LabError(f"{argv[0]} is missing: run scripts/prepare") from None
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()
        raise LabError(f"{what}: {last[-1] if last else 'failed'}")
    return done.stdout


def _keep(path, make):
    """Returns path. If the file does not exist, make(temporary path) makes it
    first."""
    if os.path.exists(path):
        return path
    fd, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    os.close(fd)
    try:
        make(temporary)
        os.rename(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return path


def packages(purpose):
    """Installs the packages for a purpose, if they are missing; see
    scripts/prepare."""
    script = os.path.join(place.TREE, "scripts/prepare")
    stamp = os.path.join(place.cache(),
                         f"prepared-{purpose}-{_key(_read(script))}")
    try:
        if os.stat(stamp).st_mtime > os.stat(DPKG_STATUS).st_mtime:
            return
    except FileNotFoundError:
        pass
    done = subprocess.run([script, purpose], stdin=subprocess.DEVNULL,
                          check=False)
    if done.returncode:
        raise LabError("this machine lacks packages")
    with open(stamp, "w", encoding="ascii"):
        pass


def _program(source, *flags, compiler="gcc"):
    """Compiles a C file, if the cache does not have the program. Returns the
    path of the program."""
    stem = os.path.splitext(os.path.basename(source))[0]
    path = os.path.join(place.cache(),
                        f"{stem}-{_key(_read(source), compiler, *flags)}")

    def compile_it(out):
        _run([compiler, "-O2", "-Wall", *flags, "-o", out, source],
             f"compiling {stem}")
        os.chmod(out, 0o755)

    return _keep(path, compile_it)


def agent(arch):
    """Returns the path of the program that runs commands inside a host."""
    return _program(os.path.join(place.GUEST, "agent.c"), "-static",
                    compiler=f"{arch}-linux-gnu-gcc")


def exec_program():
    """Returns the path of the program for "lab exec". scripts/lab finds it as
    build/lab-exec of the tree."""
    path = _program(os.path.join(place.LIB, "exec.c"))
    link = os.path.join(place.TREE, "build/lab-exec")
    try:
        if os.readlink(link) == path:
            return path
    except OSError:
        pass
    # without the link, exec is slower
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(link), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(link)) as scratch:
            fresh = os.path.join(scratch, "link")
            os.symlink(path, fresh)
            os.rename(fresh, link)
    return path


def _module_files(release):
    """Returns the modules that the initramfs loads, dependencies first."""
    files = []
    for module in INITRAMFS_MODULES:
        out = _run(["modprobe", "-S", release, "--show-depends", module],
                   f"modprobe {module}").decode()
        for line in out.splitlines():
            words = line.split()
            if words[0] == "insmod" and words[1] not in files:
                files.append(words[1])
    return files


def _fill_tree(root, files, busybox):
    """Fills the directory root of the initramfs."""
    if not os.path.exists(busybox):
        raise LabError("busybox-static is missing: run scripts/prepare")
    for sub in ("bin", "modules", "dev"):
        os.mkdir(os.path.join(root, sub))
    shutil.copy(busybox, os.path.join(root, "bin/busybox"))
    shutil.copy(os.path.join(place.GUEST, "init-qemu"),
                os.path.join(root, "init"))
    order = []
    for path in files:
        name = os.path.basename(path)
        data = _read(path)
        if name.endswith(".xz"):
            name, data = name[:-3], lzma.decompress(data)
        with open(os.path.join(root, "modules", name), "wb") as out:
            out.write(data)
        order.append(name)
    with open(os.path.join(root, "modules/order"), "w",
              encoding="ascii") as out:
        out.write("".join(name + "\n" for name in order))


def initramfs(kernel, busybox):
    """Returns the initramfs for a QEMU host with this kernel. busybox: the path
    of this program for the kernel's processor."""
    # a kernel of the lab has them built in
    files = _module_files(kernel.release) if kernel.release else []
    name = kernel.release or kernel.name
    stamps = [f"{path} {os.stat(path).st_mtime_ns}" for path in files]
    key = _key(name, _read(os.path.join(place.GUEST, "init-qemu")),
               *stamps)
    path = os.path.join(place.cache(), f"initramfs-{name}-{key}")

    def pack(out):
        with tempfile.TemporaryDirectory() as root:
            _fill_tree(root, files, busybox)
            names = _run(["find", ".", "-print0"], "find", cwd=root)
            archive = _run(["cpio", "--null", "-o", "-H", "newc"], "cpio",
                           cwd=root, input=names)
        with open(out, "wb") as file:
            file.write(archive)

    return _keep(path, pack)
