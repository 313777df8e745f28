"""Debian's other browsers, which Playwright can't drive: Firefox by WebDriver BiDi, WebKitGTK by WebDriver."""

import itertools
import json
import os
import pathlib
import queue
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

import websocket

PATIENCE = 60.0
# As in WebDriver (§17.4.2).
KEYS = {"ArrowRight": "\ue014", "End": "\ue010", "Enter": "\ue007", "Escape": "\ue00c"}


class Engine:
    """A page in a browser of its own. Scripts are bodies of async JavaScript functions."""

    def visit(self, url: str):
        raise NotImplementedError

    def reload(self):
        raise NotImplementedError

    def back(self):
        raise NotImplementedError

    def run(self, body: str, *arguments):
        raise NotImplementedError

    def perform(self, source: dict):
        """Performs input of one device (WebDriver, §17)."""
        raise NotImplementedError

    def press(self, key: str):
        value = KEYS.get(key, key)
        self.perform({"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]})

    def click(self, selector: str):
        x, y = self.run("""
            const box = document.querySelector(given[0]).getBoundingClientRect();
            return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];""", selector)
        self.perform({"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0}]})

    def until(self, expression: str, *arguments):
        """Waits until an expression of `given` is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.run(f"return Boolean({expression})", *arguments):
                return
            time.sleep(0.05)
        raise AssertionError(f"this never became true: {expression} {arguments}")


class Firefox(Engine):
    """https://w3c.github.io/webdriver-bidi/"""

    def __init__(self, folder: pathlib.Path):
        # Turn off features that access the network.
        (folder / "user.js").write_text("".join(
            f'user_pref("{name}", {value});\n' for name, value in {
                "app.normandy.enabled": "false", "browser.shell.checkDefaultBrowser": "false",
                "browser.safebrowsing.update.enabled": "false", "datareporting.policy.dataSubmissionEnabled": "false",
                "extensions.update.enabled": "false", "network.captive-portal-service.enabled": "false",
                "network.connectivity-service.enabled": "false", "toolkit.telemetry.enabled": "false"}.items()))
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"],
            env={**os.environ, "HOME": str(folder)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        address: queue.Queue[str] = queue.Queue()

        def read():
            for line in self.process.stderr:
                if found := re.search(r"ws://\S+", line):
                    address.put(found[0])
        threading.Thread(target=read, daemon=True).start()
        self.socket = websocket.create_connection(f"{address.get(timeout=PATIENCE)}/session", timeout=PATIENCE,
                                                  suppress_origin=True)
        self.numbers = itertools.count(1)
        self._command("session.new", capabilities={})
        self.context = self._command("browsingContext.getTree")["contexts"][0]["context"]
        self._command("browsingContext.setViewport", context=self.context, viewport={"width": 1280, "height": 800})

    def _command(self, method: str, **parameters) -> dict:
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def visit(self, url: str):
        self._command("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def reload(self):
        self._command("browsingContext.reload", context=self.context, wait="complete")

    def back(self):
        self._command("browsingContext.traverseHistory", context=self.context, delta=-1)

    def run(self, body: str, *arguments):
        # As text, which avoids the protocol's own serialization.
        told = self._command(
            "script.callFunction", target={"context": self.context}, awaitPromise=True,
            functionDeclaration=f"async (given) => JSON.stringify(await (async (...given) => {{ {body} }})"
                                "(...JSON.parse(given)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(arguments)}])
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    def perform(self, source: dict):
        self._command("input.performActions", context=self.context, actions=[source])

    def close(self):
        end(self.process)


class WebKit(Engine):
    """https://www.w3.org/TR/webdriver2/, on a virtual screen."""

    PROGRAM = next(iter(sorted(pathlib.Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))), None)

    def __init__(self, folder: pathlib.Path):
        shown, told = os.pipe()
        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(told), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"], pass_fds=[told],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(told)
        with os.fdopen(shown) as file:
            display = file.readline().strip()
        # It does not report a port that it chooses itself.
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.process = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"], start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "DISPLAY": f":{display}", "HOME": str(folder), "GDK_BACKEND": "x11",
                 "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1"})
        self.address = f"http://127.0.0.1:{port}"
        self._until_ready()
        self.session = ""
        self.session = "/session/" + self._command("POST", "/session", capabilities={"alwaysMatch": {
            "webkitgtk:browserOptions": {"binary": str(self.PROGRAM), "args": ["--automation"]}}})["sessionId"]
        self._command("POST", "/timeouts", script=int(1_000 * PATIENCE))
        self._command("POST", "/window/rect", width=1280, height=860)

    def _until_ready(self):
        for _ in range(int(10 * PATIENCE)):
            try:
                with urllib.request.urlopen(f"{self.address}/status", timeout=PATIENCE):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("WebKitWebDriver does not answer")

    def _command(self, method: str, path: str, **parameters):
        request = urllib.request.Request(self.address + self.session + path, method=method,
                                         data=json.dumps(parameters).encode() if method == "POST" else None)
        try:
            with urllib.request.urlopen(request, timeout=2 * PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def visit(self, url: str):
        self._command("POST", "/url", url=url)

    def reload(self):
        self._command("POST", "/refresh")

    def back(self):
        self._command("POST", "/back")

    def run(self, body: str, *arguments):
        told = json.loads(self._command("POST", "/execute/async", args=[json.dumps(arguments)], script=f"""
            const done = arguments[arguments.length - 1];
            (async (...given) => {{ {body} }})(...JSON.parse(arguments[0])).then(
              (value) => done(JSON.stringify({{ value: value ?? null }})),
              (error) => done(JSON.stringify({{ error: String(error) }})));"""))
        assert "error" not in told, told
        return told["value"]

    def perform(self, source: dict):
        self._command("POST", "/actions", actions=[source])

    def close(self):
        try:
            self._command("DELETE", "")
        finally:
            end(self.process)
            end(self.screen)


def end(process: subprocess.Popen):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
