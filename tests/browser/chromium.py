# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium, by the DevTools protocol over a pipe: no driver and no port."""
import atexit
import json
import os
import pathlib
import subprocess
import tempfile
import time

import process

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def program():
    """The browser, or None."""
    return process.first_of(PROGRAMS)


class Browser:
    """A running Chromium: it takes a second to start, pages are its windows."""

    def __init__(self):
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        self._folder = tempfile.TemporaryDirectory(prefix="tsunagi-browser-", ignore_cleanup_errors=True)

        def give_pipes():  # as 3 and 4, which the browser reads and writes; over numbers that are not theirs
            read, write = os.dup(to_read), os.dup(to_write)
            read, write = os.dup2(read, 20), os.dup2(write, 21)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--disable-dev-shm-usage",
             f"--user-data-dir={self._folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=give_pipes,
            start_new_session=True)
        atexit.register(self._end)
        os.close(to_read)
        os.close(to_write)
        self._next, self._buffer = 0, b""
        self.pages = {}

    def _end(self):
        process.end(self._process)
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def read(self, deadline):
        """The next message; what it tells of a page is told to that."""
        while b"\0" not in self._buffer:
            if time.monotonic() > deadline:
                raise TimeoutError("the browser says nothing")
            part = os.read(self._from, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self._buffer += part
        message, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(message)
        if message.get("sessionId") in self.pages and "method" in message:
            self.pages[message["sessionId"]].hear(message["method"], message.get("params", {}))
        return message

    def call(self, method, params, session=None):
        self._next += 1
        os.write(self._to, json.dumps({"id": self._next, "method": method, "params": params, **({"sessionId": session} if session else {})}).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self.read(deadline)
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]


running = []


class Page:
    """with Page(file) as page: page.value("document.title"). What the page complains of and asks for stands in
    `complaints` and `requests`."""

    def __init__(self, file, *, dark=False, width=1400, height=1000, media=""):
        self._file, self._dark, self._size, self._media = pathlib.Path(file).resolve(), dark, (width, height), media
        self.complaints, self.requests, self._events = [], [], []

    def __enter__(self):
        if not running:
            running.append(Browser())
        self._browser = running[0]
        self._target = self._browser.call("Target.createTarget", {"url": "about:blank", "newWindow": True})["targetId"]
        self._session = self._browser.call("Target.attachToTarget", {"targetId": self._target, "flatten": True})["sessionId"]
        self._browser.pages[self._session] = self
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self._call(f"{domain}.enable")
        self._call("Emulation.setFocusEmulationEnabled", {"enabled": True})  # keys are for this page, whatever others are open
        self._call("Emulation.setDeviceMetricsOverride", {"width": self._size[0], "height": self._size[1], "deviceScaleFactor": 1, "mobile": False})
        scheme = "dark" if self._dark else "light"
        self._call("Emulation.setEmulatedMedia", {"media": self._media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self._events.clear()
        self._call("Page.navigate", {"url": self._file.as_uri()})
        self._wait_for("Page.loadEventFired")
        return self

    def __exit__(self, *_):
        del self._browser.pages[self._session]
        self._browser.call("Target.closeTarget", {"targetId": self._target})

    def hear(self, method, params):
        self._events.append(method)
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([a.get("value", a.get("description")) for a in params["args"]]))
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def _call(self, method, params=None):
        return self._browser.call(method, params or {}, self._session)

    def _wait_for(self, event):
        deadline = time.monotonic() + 60
        while event not in self._events:
            self._browser.read(deadline)

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
