"""A Redis server for the tests, on loopback and a free port, that can be killed, frozen and restarted."""

import ctypes
import pathlib
import shutil
import signal
import socket
import subprocess

from certificates import signed_by_itself
from gallery import free_port, wait_until


def _end_with_the_tests():
    """The process ends with the tests, even if it is frozen (PR_SET_PDEATHSIG, prctl(2))."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Redis:
    """Listens on `port`, and with TLS on another port."""

    def __init__(self, folder: pathlib.Path, *words: str):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.certificate = signed_by_itself(folder, "redis", "-addext", "subjectAltName=IP:127.0.0.1")
        self.port, self._encrypted_port = free_port(), free_port()
        self._words = (
            "--tls-port", str(self._encrypted_port), "--tls-cert-file", str(self.certificate), "--tls-key-file",
            str(self.certificate.with_suffix(".key")), "--tls-ca-cert-file", str(self.certificate),
            "--tls-auth-clients", "no", *words)
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    @property
    def encrypted_url(self) -> str:
        return f"rediss://127.0.0.1:{self._encrypted_port}?ca={self.certificate}"

    def start(self):
        program = shutil.which("redis-server")
        assert program, "no redis-server is installed: run Scripts/install test"
        self.process = subprocess.Popen(
            [program, "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self._folder), "--save", "",
             "--appendonly", "no", "--maxmemory", "64mb", *self._words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=_end_with_the_tests)
        try:
            wait_until(lambda: self._answers(), "Redis to answer")
        except BaseException:
            self.close()
            raise

    def _answers(self) -> bool:
        try:
            return self.ask("PING").startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False

    def ask(self, *words: str) -> bytes:
        """The beginning of the reply to one command, as received."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(f"*{len(words)}\r\n".encode())
            for word in words:
                connection.sendall(f"${len(word)}\r\n{word}\r\n".encode())
            return connection.recv(65536)

    def kill(self):
        self.process.kill()
        self.process.wait(10)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def wake(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        if self.process.poll() is None:
            self.wake()
            self.kill()
