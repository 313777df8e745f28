"""A disk that can be made to hang: a folder, seen through a file system of this process' own (FUSE). When a test says
so, its reads, opens, or queries of names and status go unanswered, as those of a dead disk or a lost file server do.

Speaks the kernel's protocol itself (linux/fuse.h), so that nothing needs to be installed; it takes root and /dev/fuse.
Run as a program it serves one mount, steered by lines on its standard input.
"""

import ctypes
import errno
import os
import select
import stat
import struct
import subprocess
import sys
from pathlib import Path

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = 25, 26, 27, 28, 29, 36, 42
READ_ONLY_NO_SUID_NO_DEVICES = 1 | 2 | 4
DETACH = 2
# The requests that go unanswered, by what hangs. Each kind of hang includes those before it.
HANGS = {"read": {READ}, "open": {READ, OPEN}, "stat": {READ, OPEN, LOOKUP, GETATTR, OPENDIR, READDIR}}


class HangingDisk:
    """Shows `folder` at `mount`. A context manager, which ends all hangs when it exits."""

    def __init__(self, folder: Path, mount: Path):
        mount.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(folder), str(mount)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, bufsize=1)
        self.problem = self.process.stdout.readline().strip()
        if self.problem == "mounted":
            self.problem = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)

    def _say(self, word: str) -> str:
        self.process.stdin.write(word + "\n")
        return self.process.stdout.readline().strip()

    def hang(self, at: str = "read"):
        """Stops answering: "read", "open" or "stat"."""
        assert self._say(at) == "done"

    def heal(self):
        """Answers again, the waiting requests first."""
        assert self._say("heal") == "done"

    @property
    def hanging(self) -> int:
        """The number of waiting requests."""
        return int(self._say("count"))


class Server:
    def __init__(self, folder: str, mount: str):
        self.mount = mount
        self.paths = {1: folder}
        self.nodes = {folder: 1}
        self.files: dict[int, int] = {}
        self.unanswered: set[int] = set()
        self.waiting: list[bytes] = []
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"hanging", mount.encode(), b"fuse", READ_ONLY_NO_SUID_NO_DEVICES, options.encode()):
            raise OSError(ctypes.get_errno(), "mount")
        self.libc = libc

    def serve(self):
        print("mounted", flush=True)
        while True:
            for ready in select.select([self.device, sys.stdin], [], [])[0]:
                if ready is sys.stdin:
                    if not self.command(sys.stdin.readline().strip()):
                        return
                else:
                    try:
                        self.request(os.read(self.device, 1 << 18))
                    except OSError as error:
                        # ENOENT: the request was interrupted before it was read.
                        if error.errno not in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                            raise

    def end(self):
        """Closes the device, which ends all waiting requests."""
        self.libc.umount2(self.mount.encode(), DETACH)
        os.close(self.device)

    def command(self, word: str) -> bool:
        if not word:
            return False
        if word == "count":
            print(len(self.waiting), flush=True)
            return True
        self.unanswered = HANGS.get(word, set())
        if not self.unanswered:
            waiting, self.waiting = self.waiting, []
            for packet in waiting:
                self.request(packet)
        print("done", flush=True)
        return True

    def reply(self, unique: int, body: bytes = b"", error: int = 0):
        try:
            os.write(self.device, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)
        except OSError as problem:
            # ENOENT: the request was interrupted.
            if problem.errno != errno.ENOENT:
                raise

    def attributes(self, path: str) -> bytes:
        status = os.stat(path)
        seconds = [value // 1_000_000_000 for value in (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns)]
        rest = [value % 1_000_000_000 for value in (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns)]
        return struct.pack(
            "<6Q10I", self.node(path), status.st_size, status.st_blocks, *seconds, *rest, status.st_mode,
            status.st_nlink, status.st_uid, status.st_gid, 0, 4096, 0)

    def node(self, path: str) -> int:
        node = self.nodes.setdefault(path, len(self.nodes) + 1)
        self.paths[node] = path
        return node

    def request(self, packet: bytes):
        _, opcode, unique, node, _, _, _, _ = struct.unpack_from("<IIQQIIII", packet)
        body = packet[40:]
        if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
            return
        if opcode in self.unanswered:
            self.waiting.append(packet)
            return
        try:
            self.answer(opcode, unique, self.paths.get(node, ""), body)
        except OSError as error:
            self.reply(unique, error=error.errno or errno.EIO)

    def answer(self, opcode: int, unique: int, path: str, body: bytes):
        if opcode == INIT:
            self.reply(unique, struct.pack("<4I2H2I2H8I", 7, 31, 1 << 17, 0, 64, 48, 1 << 17, 1, 0, 0, *[0] * 8))
        elif opcode == LOOKUP:
            child = os.path.join(path, os.fsdecode(body.rstrip(b"\0")))
            attributes = self.attributes(child)
            self.reply(unique, struct.pack("<4Q2I", self.node(child), 0, 1, 1, 0, 0) + attributes)
        elif opcode == GETATTR:
            self.reply(unique, struct.pack("<QII", 1, 0, 0) + self.attributes(path))
        elif opcode in (OPEN, OPENDIR):
            handle = os.open(path, os.O_RDONLY) if opcode == OPEN else 0
            self.reply(unique, struct.pack("<QII", handle, 0, 0))
        elif opcode == READ:
            handle, offset, size = struct.unpack_from("<QQI", body)
            self.reply(unique, os.pread(handle, size, offset))
        elif opcode == RELEASE:
            os.close(struct.unpack_from("<Q", body)[0])
            self.reply(unique)
        elif opcode == READDIR:
            _, offset, size = struct.unpack_from("<QQI", body)
            self.reply(unique, self.entries(path, offset, size))
        elif opcode == STATFS:
            self.reply(unique, struct.pack("<5Q4I6I", 0, 0, 0, 0, 0, 4096, 255, 4096, 0, *[0] * 6))
        elif opcode in (FLUSH, RELEASEDIR):
            self.reply(unique)
        else:
            self.reply(unique, error=errno.ENOSYS)

    def entries(self, path: str, offset: int, size: int) -> bytes:
        found = b""
        for number, name in enumerate(sorted(os.listdir(path))[offset:], start=offset + 1):
            raw = os.fsencode(name)
            kind = stat.S_IFMT(os.lstat(os.path.join(path, name)).st_mode) >> 12
            entry = struct.pack("<QQII", number, number, len(raw), kind) + raw
            entry += b"\0" * (-len(entry) % 8)
            if len(found) + len(entry) > size:
                break
            found += entry
        return found


if __name__ == "__main__":
    try:
        server = Server(sys.argv[1], sys.argv[2])
    except OSError as problem:
        print(f"no FUSE here: {problem}", flush=True)
        sys.exit(1)
    try:
        server.serve()
    finally:
        server.end()
