# SPDX-License-Identifier: GPL-2.0
"""Starts a host: command line, inherited sockets, cables."""

import asyncio
import ctypes
import os
import signal
import socket
import subprocess

from lablib import LabError, cached, kernels, place

SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
WIRE_BUFFER = 8 << 20
PR_SET_PDEATHSIG = 1


# QEMU machine and CPU, by the architecture of the kernel. The kernel's slab
# allocator uses cmpxchg16b without lock prefix. QEMU emulates this instruction
# with wrong EFLAGS, so that sometimes an interrupt ends in a double fault. The
# vector instructions of QEMU's s390x compute wrong checksums of TCP and IPv6. An
# x86 kernel that boots waits for some ticks of its timer, by a clock that goes on
# while QEMU has no processor. If it misses ticks it takes the timer for broken,
# and may hang; no_timer_check leaves out that test.
MACHINES = {
    "x86_64": {"program": "qemu-system-x86_64", "cpu": "max,cx16=off",
               "console": "ttyS0", "serial": ("-serial", "stdio"),
               "words": ("no_timer_check",),
               "nic": "virtio-net-pci,romfile="},
    "s390x": {"program": "qemu-system-s390x", "cpu": "max,vx=off",
              "console": "ttyS0",
              "serial": ("-chardev", "stdio,id=console",
                         "-device", "sclplmconsole,chardev=console"),
              "nic": "virtio-net-ccw"},
    "aarch64": {"program": "qemu-system-aarch64", "cpu": "cortex-a72",
                "console": "ttyAMA0",
                "serial": ("-machine", "virt", "-serial", "stdio"),
                "nic": "virtio-net-pci,romfile="},
}


def wire(kind):
    """Returns a cable between two hosts: a pair of sockets, one for
    each host."""
    ends = socket.socketpair(socket.AF_UNIX, kind)
    for end in ends:
        for force, plain in ((SO_SNDBUFFORCE, socket.SO_SNDBUF),
                             (SO_RCVBUFFORCE, socket.SO_RCVBUF)):
            try:
                end.setsockopt(socket.SOL_SOCKET, force, WIRE_BUFFER)
            except PermissionError:
                end.setsockopt(socket.SOL_SOCKET, plain, WIRE_BUFFER)
    return ends


def _discard(loop, end):
    try:
        if end.recv(65536):
            return
    except (BlockingIOError, InterruptedError):
        return
    except OSError:
        pass
    loop.remove_reader(end.fileno())


def drain(ends):
    """Reads frames from cables without a peer and drops them."""
    loop = asyncio.get_running_loop()
    for end in ends:
        end.setblocking(False)
        loop.add_reader(end.fileno(), _discard, loop, end)


def _lab_words(plan, channel):
    words = [f"LAB_LIB={place.LIB}", f"LAB_HOST={plan.name}",
             f"LAB_AGENT={cached.agent(plan.kernel.arch)}", f"LAB_CHANNEL={channel}"]
    if plan.shared():
        words += [f"LAB_ROOT={plan.root}",
                  f"LAB_SHARED={':'.join(plan.shared())}"]
    if plan.systemd:    # names of NICs are those of the kernel
        words += ["LAB_SYSTEMD=yes", "net.ifnames=0", "systemd.show_status=no"]
    return words


def mac(name, nic):
    return f"02:00:00:77:{nic:02x}:{place.HOSTS.index(name) + 1:02x}"


def _memory(plan, config):
    return config["mem"] or plan.kernel.memory


def uml_command(plan, config, channel, wires):
    """Returns the argv of a User Mode Linux host."""
    argv = [plan.kernel.image, f"mem={_memory(plan, config)}M",
            "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
            f"init={place.GUEST}/init-uml", "con=null", "con0=null,fd:1",
            "ssl=null", f"ssl0=fd:{channel}", "quiet",
            "dummy.numdummies=0", "bonding.max_bonds=0", "kunit.enable=1",
            f"uml_dir={config['run']}/uml/", f"umid={plan.name}"]
    argv += [f"vec{n}:transport=fd,fd={fd},mtu=9000,depth=256,"
             f"mac={mac(plan.name, n)}" for n, fd in enumerate(wires)]
    return argv + config["boot"] + _lab_words(plan, "/dev/ttyS0")


def qemu_command(plan, config, channel, wires):
    """Returns the argv of a QEMU host."""
    machine = MACHINES[plan.kernel.arch]
    # If only one CPU is possible, QEMU 7.2 omits the guest's memory barriers.
    # Then a notification of a virtio queue can get lost, and the NIC never
    # works again.
    smp = f"{config['smp']},maxcpus={max(2, config['smp'])}"
    words = [f"console={machine['console']}", "quiet", "panic=-1",
             "oops=panic", "mitigations=off", "kunit.enable=1",
             *machine.get("words", ()), *config["boot"],
             *_lab_words(plan, "virtio")]
    argv = [machine["program"], "-accel", "tcg,thread=multi",
            "-cpu", machine["cpu"],
            "-m", str(_memory(plan, config)), "-smp", smp,
            "-nodefaults", "-no-user-config", "-display", "none",
            "-no-reboot", *machine["serial"], "-monitor", "none",
            "-kernel", plan.kernel.image,
            "-initrd",
            cached.initramfs(plan.kernel, kernels.busybox(plan.kernel)),
            "-append", " ".join(words),
            "-fsdev", "local,id=root,path=/,security_model=none,readonly=on,"
                      "multidevs=remap",
            "-device", "virtio-9p,fsdev=root,mount_tag=root",
            "-chardev", f"socket,id=agent,fd={channel}",
            "-device", "virtio-serial,max_ports=2",
            "-device", "virtserialport,chardev=agent,nr=1"]
    for n, fd in enumerate(wires):
        argv += ["-netdev", f"socket,id=n{n},fd={fd}",
                 "-device", f"{machine['nic']},netdev=n{n},"
                            f"mac={mac(plan.name, n)}"]
    return argv + config["qemu"]


def _pin(name):
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpus[place.HOSTS.index(name) % len(cpus)]})


def start(plan, config, channel, wires):
    """Starts a host in a new session; returns the Popen.

    The host inherits the sockets channel and wires. The console of the host
    goes to the run directory. The host dies with the calling process.
    """
    make = uml_command if plan.kernel.is_uml else qemu_command
    argv = make(plan, config, channel.fileno(), [w.fileno() for w in wires])
    libc = ctypes.CDLL(None, use_errno=True)

    def in_child():
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if config["pin"]:
            _pin(plan.name)

    console = place.console_file(config["run"], plan.name)
    env = {"PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
           "HOME": "/root",
           "TMPDIR": "/dev/shm" if plan.kernel.is_uml else "/tmp"}
    try:
        with open(console, "ab") as out:
            return subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                cwd=config["run"], env=env, start_new_session=True,
                preexec_fn=in_child,
                pass_fds=[channel.fileno(), *(w.fileno() for w in wires)])
    except FileNotFoundError:
        raise LabError(f"{argv[0]} is missing: run scripts/prepare") from None
