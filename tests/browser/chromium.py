# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium, by the DevTools protocol over a pipe: no driver and no port."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def program():
    """The browser, or None."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Page:
    """with Page(file) as page: page.value("document.title"). What the page complains of and asks for stands in
    `complaints` and `requests`."""

    def __init__(self, file, *, dark=False, width=1400, height=1000, media=""):
        self._file, self._dark, self._size, self._media = pathlib.Path(file).resolve(), dark, (width, height), media
        self.complaints, self.requests = [], []
        self._next, self._buffer, self._events = 0, b"", []

    def __enter__(self):
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        self._folder = tempfile.TemporaryDirectory(prefix="tsunagi-browser-", ignore_cleanup_errors=True)

        def give_pipes():  # as 3 and 4, which the browser reads and writes; over numbers that are not theirs
            read, write = os.dup(to_read), os.dup(to_write)
            read, write = os.dup2(read, 20), os.dup2(write, 21)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._browser = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--disable-dev-shm-usage",
             f"--user-data-dir={self._folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=give_pipes,
            start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = None
        session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        self._session = session
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self._call(f"{domain}.enable")
        self._call("Emulation.setDeviceMetricsOverride", {"width": self._size[0], "height": self._size[1], "deviceScaleFactor": 1, "mobile": False})
        scheme = "dark" if self._dark else "light"
        self._call("Emulation.setEmulatedMedia", {"media": self._media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self._call("Page.navigate", {"url": self._file.as_uri()})
        self._wait_for("Page.loadEventFired")
        return self

    def __exit__(self, *_):
        os.killpg(self._browser.pid, signal.SIGKILL)
        self._browser.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def _read(self, deadline):
        while b"\0" not in self._buffer:
            if time.monotonic() > deadline:
                raise TimeoutError("the browser says nothing")
            part = os.read(self._from, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self._buffer += part
        message, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(message)
        params = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif message.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([a.get("value", a.get("description")) for a in params["args"]]))
        elif message.get("method") == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif message.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        return message

    def _call(self, method, params=None):
        self._next += 1
        message = {"id": self._next, "method": method, "params": params or {}}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._events.append(answer.get("method"))

    def _wait_for(self, event):
        deadline = time.monotonic() + 60
        while event not in self._events:
            self._events.append(self._read(deadline).get("method"))

    def value(self, expression):
        """What JavaScript says of it, as JSON has it."""
        answer = self._call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def key(self, name, modifiers=0):
        """Presses a key as a user does: "Tab", "Enter", "ArrowRight", "+"; modifiers: 8 is Shift."""
        codes = {"Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, " ": 32}
        text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
        event = {"key": name, "code": name, "windowsVirtualKeyCode": codes.get(name, 0), "modifiers": modifiers}
        self._call("Input.dispatchKeyEvent", {**event, "type": "keyDown", **({"text": text} if text else {})})
        self._call("Input.dispatchKeyEvent", {**event, "type": "keyUp"})

    def drag(self, x0, y0, x1, y1):
        """Drags with the left button, in steps."""
        def mouse(kind, x, y, buttons):
            self._call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left" if buttons else "none", "buttons": buttons, "clickCount": 1})
        mouse("mouseMoved", x0, y0, 0)
        mouse("mousePressed", x0, y0, 1)
        for i in range(1, 6):
            mouse("mouseMoved", x0 + (x1 - x0) * i / 5, y0 + (y1 - y0) * i / 5, 1)
        self._call("Input.dispatchMouseEvent", {"type": "mouseReleased", "x": x1, "y": y1, "button": "left", "buttons": 0, "clickCount": 1})

    def nodes(self):
        """What a screen reader hears: [(role, name)]."""
        nodes = self._call("Accessibility.getFullAXTree")["nodes"]
        return [(n.get("role", {}).get("value"), n.get("name", {}).get("value", "")) for n in nodes if not n.get("ignored")]

    def nameless(self, roles):
        """Those of the roles that something has without a name."""
        return [role for role, name in self.nodes() if not name and role in roles]

    def screenshot(self, file, whole=True):
        """A PNG of what is seen, or of the whole page."""
        import base64
        picture = self._call("Page.captureScreenshot", {"captureBeyondViewport": whole, **({"clip": {**self.value(
            "({x: 0, y: 0, width: document.documentElement.clientWidth, height: document.documentElement.scrollHeight, scale: 1})")}} if whole else {})})
        pathlib.Path(file).write_bytes(base64.b64decode(picture["data"]))

    def pdf(self, file):
        import base64
        pathlib.Path(file).write_bytes(base64.b64decode(self._call("Page.printToPDF")["data"]))
