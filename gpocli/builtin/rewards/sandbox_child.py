"""Runs foreign Python in this process, once it has given up what it may do. Started by `sandbox`; stdlib alone.

    python sandbox_child.py JOB_FD REPORT_FD        reads a job of `sandbox` in JSON from the one, reports to the other

A report is a line that begins with the job's nonce: `layers NAME ...`, what this process could give up, and `pass N`
for each test that held, counted from 0. A job whose `required` layers cannot all be had is not run.
"""

import ctypes
import json
import os
import resource
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

REFUSED = 70
"""The exit code where layers that are required cannot be had; that of `sandbox.REFUSED`."""

_NEWUSER, _NEWNET, _NEWIPC, _NEWNS = 0x10000000, 0x40000000, 0x08000000, 0x00020000
_SET_PDEATHSIG, _SET_SECCOMP, _SET_NO_NEW_PRIVS, _SIGKILL, _FILTER_MODE = 1, 22, 38, 9, 2
_READABLE = (
    "/usr/lib",
    "/usr/lib64",
    "/lib",
    "/lib64",
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/dev/null",
    "/dev/urandom",
)

# Numbers of system calls: processes and programs, signals, other processes, the network, shared memory, rights of
# files, limits, namespaces and mounts, the kernel's own affairs.
_DENIED: Mapping[str, tuple[int, str]] = {
    "x86_64": (
        0xC000003E,
        "29 41 56 57 58 59 62 64 68 90 91 92 93 94 101 103 109 112 132 155 159 160 161 164 165 166 167 169 "
        "172 173 175 176 188 189 190 197 198 199 200 227 234 235 240 246 248 249 250 260 261 268 272 280 298 "
        "302 304 308 310 311 313 319 321 322 323 424 425 426 427 428 429 430 434 435 438 442 452 463 466",
    ),
    "aarch64": (
        0xC00000B7,
        "5 6 7 14 15 16 39 40 41 51 52 53 54 55 88 97 104 105 106 112 116 117 129 130 131 142 154 157 164 170 "
        "171 180 186 190 194 198 217 218 219 220 221 224 241 261 265 268 270 271 273 279 280 281 282 424 425 "
        "426 427 428 429 430 434 435 438 442 452 463 466",
    ),
}
_CLONE3, _X32 = 435, 0x40000000
_ALLOW, _KILL, _ERRNO, _EPERM, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050000, 1, 38

_libc = ctypes.CDLL(None, use_errno=True)


def main(job_fd: int, report_fd: int) -> None:
    """Read the job, give up what can be given up, tell, and run it."""
    with os.fdopen(job_fd, encoding="utf-8") as file:
        job = json.load(file)
    _libc.prctl(_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)  # nobody would read what is told after the run has gone
    layers = confine(job)
    os.write(report_fd, f"{job['nonce']} layers {' '.join(layers)}\n".encode())
    if not set(job["required"]) <= set(layers):
        os._exit(REFUSED)
    if job["tests"] is None:
        os.close(report_fd)
        exec(compile(job["code"], "answer.py", "exec"), {"__name__": "__main__"})
    else:
        run_tests(job["code"], job["tests"], f"{job['nonce']} pass ", report_fd)


def run_tests(code: str, tests: Sequence[str], token: str, report_fd: int) -> None:
    """Run the answer and then each test in a copy of its names, and report those that raise nothing."""
    leave, write = os._exit, os.write
    names: dict[str, Any] = {"__name__": "answer"}
    compiled = [compile(test, f"test {number}", "exec") for number, test in enumerate(tests)]
    try:
        exec(compile(code, "answer.py", "exec"), names)
        for number, test in enumerate(compiled):
            try:
                exec(test, dict(names))
            except Exception:  # noqa: BLE001 - foreign code may raise anything
                continue
            write(report_fd, f"{token}{number}\n".encode())
    finally:
        leave(0)


def confine(job: Mapping[str, Any]) -> list[str]:
    """Give up rights for good, one layer after the other; the names of those that this system grants."""
    set_limits(job)
    layers = ["limits"]
    steps: Sequence[tuple[str, Callable[[], bool]]] = (
        ("namespaces", lambda: leave_namespaces(job["files_mb"])),
        ("files", lambda: restrict_files(may_write=job["files_mb"] > 0)),
        ("calls", restrict_calls),
    )
    _libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return layers + [name for name, step in steps if step()]


def set_limits(job: Mapping[str, Any]) -> None:
    """Limits of the system for this process, which it cannot raise again unless it is root."""
    mebibyte = 2**20
    for which, limit in (
        (resource.RLIMIT_CPU, job["cpu_seconds"]),
        (resource.RLIMIT_AS, job["memory_mb"] * mebibyte),
        (resource.RLIMIT_FSIZE, job["files_mb"] * mebibyte),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(which)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(which, (limit, limit))


def leave_namespaces(files_mb: int) -> bool:
    """A network without any interface, shared memory of its own, and a small disk in memory to work in."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_NEWUSER | _NEWNET | _NEWIPC | (_NEWNS if files_mb else 0)) != 0:
        return False
    return files_mb == 0 or _mount_disk(files_mb, user, group)


def _mount_disk(files_mb: int, user: int, group: int) -> bool:
    folder, nosuid_nodev = os.getcwd(), 0x2 | 0x4
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    except OSError:
        return False
    options = f"size={files_mb}m,nr_inodes=1024,mode=700".encode()
    if _libc.mount(b"none", os.fsencode(folder), b"tmpfs", nosuid_nodev, options) != 0:
        return False
    os.chdir(folder)
    return True


def restrict_files(*, may_write: bool) -> bool:
    """Landlock: Python's own files can be read, and nothing written but in the working folder, if anything."""
    abi = _libc.syscall(444, None, 0, 1)
    if abi < 1:
        return False
    every = (1 << (13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16)) - 1
    attributes = struct.pack(
        "=QQQ", every, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0
    )  # TCP; signals, abstract sockets
    ruleset = _libc.syscall(444, attributes, 8 if abi < 4 else 16 if abi < 6 else 24, 0)
    if ruleset < 0:
        return False
    read = every & 0b1100
    for path in {*_READABLE, *filter(os.path.isabs, sys.path), sys.prefix, sys.base_prefix}:
        _allow(ruleset, path, read | (every & 0b10 if path == "/dev/null" else 0))
    _allow(ruleset, os.getcwd(), every & ~1 if may_write else read)
    granted = bool(_libc.syscall(446, ruleset, 0) == 0)
    os.close(ruleset)
    return granted


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not there, so nobody can read it
        return
    of_files = 0b110 | 1 << 14
    rights = rights if os.path.isdir(path) else rights & of_files
    _libc.syscall(445, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    os.close(place)


def restrict_calls() -> bool:
    """Seccomp: no processes, threads, programs, sockets, signals to others, rights of files, mounts or limits."""
    arch, numbers = _DENIED.get(os.uname().machine, (0, ""))
    if not numbers:
        return False
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    program = [(load, 0, 0, 4), (equal, 1, 0, arch), (give, 0, 0, _KILL), (load, 0, 0, 0)]
    if arch == _DENIED["x86_64"][0]:  # the calls of x32 have the same numbers, with a bit more
        program += [(at_least, 0, 1, _X32), (give, 0, 0, _ERRNO | _EPERM)]
    for number in map(int, numbers.split()):
        # Without clone3 the C library asks for clone.
        program += [(equal, 0, 1, number), (give, 0, 0, _ERRNO | (_ENOSYS if number == _CLONE3 else _EPERM))]
    code = b"".join(struct.pack("=HBBI", *line) for line in [*program, (give, 0, 0, _ALLOW)])
    held = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("@HP", len(code) // 8, ctypes.addressof(held))
    return bool(_libc.prctl(_SET_SECCOMP, _FILTER_MODE, head, 0, 0) == 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
