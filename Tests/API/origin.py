"""An origin on loopback that misbehaves as its paths say, and records what happens to it."""

import gzip
import socket
import struct
import threading
import time

import pictures


class Origin:
    """Serves `/KIND/NAME`. The kinds are the methods below whose names begin with "kind_"."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listener.getsockname()[1]
        self._condition = threading.Condition()
        self.asked: list[str] = []
        self.closed: dict[str, float] = {}
        self._ends = threading.Event()
        # Setting it releases the responses that wait for it.
        self.gate = threading.Event()
        # Responses that have begun and are waiting for the gate.
        self.begun = 0
        # The counted requests in flight now, and their maximum so far.
        self.present = self.most_present = 0
        self.picture = pictures.encoded("JPEG", quality=90)
        self.camera = pictures.camera_picture()
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, kind: str, name: str = "a.jpg") -> str:
        return f"http://127.0.0.1:{self.port}/{kind}/{name}"

    def times_asked(self, path_part: str) -> int:
        with self._condition:
            return sum(path_part in path for path in self.asked)

    def wait_until_asked(self, path_part: str, patience: float = 30):
        with self._condition:
            met = self._condition.wait_for(lambda: any(path_part in path for path in self.asked), patience)
        assert met, f"{path_part} was not requested"

    def wait_until_closed(self, path_part: str, patience: float = 30) -> float:
        """The time (`time.monotonic`) at which the client closed its connection for a path."""
        with self._condition:
            met = self._condition.wait_for(lambda: any(path_part in path for path in self.closed), patience)
            assert met, f"the connection for {path_part} stayed open"
            return next(moment for path, moment in self.closed.items() if path_part in path)

    def wait_until_begun(self, count: int, patience: float = 30):
        with self._condition:
            assert self._condition.wait_for(lambda: self.begun >= count, patience), f"only {self.begun} responses have begun"

    def close(self):
        self._ends.set()
        self.gate.set()
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket):
        try:
            with connection:
                while not self._ends.is_set():
                    head = self._read_head(connection)
                    if head is None:
                        return
                    path = head.split(b" ")[1].decode()
                    with self._condition:
                        self.asked.append(path)
                        self._condition.notify_all()
                    kind = path.split("/")[1].replace("-", "_")
                    if not getattr(self, "kind_" + kind)(connection, path, head):
                        return
        except OSError:
            pass

    @staticmethod
    def _read_head(connection: socket.socket) -> bytes | None:
        head = b""
        while b"\r\n\r\n" not in head:
            received = connection.recv(4096)
            if not received:
                return None
            head += received
        return head

    def _watch_close(self, connection: socket.socket, path: str):
        """Waits until the client closes the connection, and records when."""
        connection.settimeout(60)
        try:
            while connection.recv(4096):
                pass
        except OSError:
            pass
        with self._condition:
            self.closed[path] = time.monotonic()
            self._condition.notify_all()

    @staticmethod
    def _answer(connection, body: bytes, status="200 OK", type="image/jpeg", length=None, more="") -> bool:
        length = len(body) if length is None else length
        connection.sendall(
            f"HTTP/1.1 {status}\r\nContent-Type: {type}\r\nContent-Length: {length}\r\n{more}\r\n".encode() + body)
        return True

    # The kinds of responses. Each returns whether the connection stays open.

    def kind_good(self, connection, path, head):
        return self._answer(connection, self.picture)

    def kind_slow(self, connection, path, head):
        """Responds once the gate is open. The response may be cached for a while."""
        self.gate.wait(60)
        return self._answer(connection, self.picture, more="Cache-Control: max-age=600\r\n")

    def kind_trickle(self, connection, path, head):
        """Sends half of the picture, and the rest once the gate is open."""
        half = len(self.picture) // 2
        self._answer(connection, self.picture[:half], length=len(self.picture), more="Cache-Control: max-age=600\r\n")
        with self._condition:
            self.begun += 1
            self._condition.notify_all()
        self.gate.wait(60)
        connection.sendall(self.picture[half:])
        return True

    def kind_mislabelled(self, connection, path, head):
        return self._answer(connection, self.picture, type="text/plain")

    def kind_hang(self, connection, path, head):
        self._watch_close(connection, path)

    def kind_hang_in_body(self, connection, path, head):
        self._answer(connection, self.picture[:2000], length=len(self.picture))
        self._watch_close(connection, path)

    def kind_dawdle(self, connection, path, head):
        """Sends the beginning of a camera's picture, and nothing more."""
        self._answer(connection, self.camera[:80_000], length=len(self.camera), more='ETag: "1"\r\n')
        self._watch_close(connection, path)

    def kind_reset(self, connection, path, head):
        self._answer(connection, self.picture[:2000], length=len(self.picture))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def kind_resets_once(self, connection, path, head):
        if self.times_asked(path) > 1:
            return self._answer(connection, self.picture)
        return self.kind_reset(connection, path, head)

    def kind_says_more(self, connection, path, head):
        """Declares a longer body than it sends."""
        self._answer(connection, self.picture, length=len(self.picture) + 5000)

    def kind_says_less(self, connection, path, head):
        """Declares a shorter body than it sends, so what it declares is a truncated picture."""
        self._answer(connection, self.picture, length=len(self.picture) // 2)

    def kind_html(self, connection, path, head):
        return self._answer(connection, b"<!doctype html><title>Sign in</title><p>Please sign in.")

    def kind_empty(self, connection, path, head):
        return self._answer(connection, b"")

    def kind_garbage(self, connection, path, head):
        connection.sendall(b"\x00\xff\x17SSH-2.0-nothing of HTTP\r\n" * 20)

    def kind_missing(self, connection, path, head):
        return self._answer(connection, b"no", status="404 Not Found", type="text/plain")

    def kind_broken(self, connection, path, head):
        return self._answer(connection, b"no", status="500 Internal Server Error", type="text/plain")

    def kind_patience(self, connection, path, head):
        """Asks the client to retry after three years."""
        return self._answer(connection, b"no", status="429 Too Many Requests", more="Retry-After: 99999999\r\n")

    def kind_compressed(self, connection, path, head):
        return self._answer(connection, gzip.compress(self.picture), more="Content-Encoding: gzip\r\n")

    def kind_greeting(self, connection, path, head):
        """Redirects to itself once, to set a cookie."""
        if b"seen=1" in head:
            return self._answer(connection, self.picture)
        more = f"Set-Cookie: seen=1; Path=/\r\nLocation: {path}\r\n"
        return self._answer(connection, b"", status="302 Found", more=more)

    def kind_coded(self, connection, path, head):
        return self._answer(connection, self.picture, more="Content-Encoding: identity, gzip\r\n")

    def kind_of_two_lengths(self, connection, path, head):
        return self._answer(connection, self.picture, more="Content-Length: 2000\r\n")

    def kind_private(self, connection, path, head):
        return self._answer(connection, b"", status="302 Found", more="Location: http://10.11.12.13/secret.jpg\r\n")

    def kind_metadata(self, connection, path, head):
        return self._answer(connection, b"", status="302 Found", more="Location: http://169.254.169.254/latest\r\n")

    def kind_file(self, connection, path, head):
        return self._answer(connection, b"", status="302 Found", more="Location: file:///etc/passwd\r\n")

    def kind_moved(self, connection, path, head):
        return self._answer(connection, b"", status="301 Moved Permanently", more="Location: /good/moved.jpg\r\n")

    def kind_circle(self, connection, path, head):
        return self._answer(connection, b"", status="302 Found", more=f"Location: {path}\r\n")

    def kind_endless(self, connection, path, head):
        """Sends a picture, and then zeros without end."""
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nConnection: close\r\n\r\n" + self.picture)
        while not self._ends.is_set():
            connection.sendall(bytes(65536))

    def kind_counted(self, connection, path, head):
        """Counts the concurrent requests, and responds after a delay once the gate is open."""
        with self._condition:
            self.present += 1
            self.most_present = max(self.most_present, self.present)
        try:
            self.gate.wait(60)
            self._ends.wait(0.1)
            # The client counts the request as over once it has the response.
            with self._condition:
                self.present -= 1
            return self._answer(connection, self.picture)
        except OSError:
            return False

    def kind_busy(self, connection, path, head):
        """Asks the client to retry after some seconds until the gate is open."""
        if self.gate.is_set():
            return self._answer(connection, self.picture)
        return self._answer(connection, b"no", status="429 Too Many Requests", type="text/plain", more="Retry-After: 4\r\n")
