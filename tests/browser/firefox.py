# SPDX-License-Identifier: Apache-2.0
"""A page in headless Firefox, by WebDriver BiDi: what Firefox listens for itself; no driver."""
import atexit
import base64
import json
import os
import pathlib
import subprocess
import tempfile
import threading

import process

try:
    import websocket
except ImportError:
    websocket = None

PROGRAMS = ("firefox-esr", "firefox")
KEYS = {"Tab": "\ue004", "Enter": "\ue006", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
        "End": "\ue010", "Home": "\ue011"}
SHIFT = "\ue008"
ROLES = ("main", "navigation", "heading", "table", "columnheader", "rowheader", "button", "combobox", "link", "region", "img", "application", "status")
NAMED = "[role], a, area, audio, button, canvas, embed, h1, h2, h3, h4, h5, h6, iframe, img, input, object, select, svg, table, textarea, video"
PREFERENCES = {"browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False,
               "app.update.enabled": False, "app.normandy.enabled": False, "extensions.update.enabled": False, "network.captive-portal-service.enabled": False,
               "network.connectivity-service.enabled": False, "browser.aboutwelcome.enabled": False, "remote.active-protocols": 1}


def program():
    """The browser, or None: there is none, or Debian's python3-websocket is missing."""
    return process.first_of(PROGRAMS) if websocket else None


class Browser:
    """A running Firefox, one for each colour scheme: it takes seconds to start, pages are its tabs."""

    def __init__(self, dark):
        self._folder = tempfile.TemporaryDirectory(prefix="tsunagi-browser-", ignore_cleanup_errors=True)
        scheme = {"layout.css.prefers-color-scheme.content-override": 0 if dark else 1}
        pathlib.Path(self._folder.name, "user.js").write_text(
            "".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in {**PREFERENCES, **scheme}.items()))
        self._process = subprocess.Popen(
            [program(), "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", self._folder.name, "about:blank"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True, env={**os.environ, "HOME": self._folder.name})
        atexit.register(self._end)
        said = "WebDriver BiDi listening on "
        line = next((line for line in self._process.stderr if said in line), None)
        if line is None:
            raise RuntimeError("the browser has ended")
        threading.Thread(target=self._process.stderr.read, daemon=True).start()  # what else it says must not block it
        self._next = 0
        self._socket = websocket.create_connection(line.split(said)[1].strip() + "/session", timeout=60, suppress_origin=True)
        self.pages = {}
        self.call("session.new", {"capabilities": {}})
        self.call("session.subscribe", {"events": ["log.entryAdded", "network.beforeRequestSent"]})

    def _end(self):
        process.end(self._process)
        self._folder.cleanup()

    def call(self, method, params):
        self._next += 1
        self._socket.send(json.dumps({"id": self._next, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv())
            of = answer.get("params", {})
            page = self.pages.get(of.get("context") or of.get("source", {}).get("context"))
            if page and answer.get("method") == "log.entryAdded" and of["level"] in ("error", "warn"):
                page.complaints.append(of["text"])
            elif page and answer.get("method") == "network.beforeRequestSent" and not of["request"]["url"].startswith("data:font/"):
                page.requests.append(of["request"]["url"])  # the font is Firefox's own: the policy of pages lets none be loaded
            elif answer.get("id") == self._next:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]


running = {}


class Page:
    """As that of chromium.py."""

    def __init__(self, file, *, dark=False, width=1400, height=1000):
        self._file, self._dark, self._size = pathlib.Path(file).resolve(), dark, (width, height)
        self.complaints, self.requests = [], [self._file.as_uri()]  # which Firefox does not tell of files

    def __enter__(self):
        if self._dark not in running:
            running[self._dark] = Browser(self._dark)
        self._browser = running[self._dark]
        self._context = self._call("browsingContext.create", {"type": "tab"})["context"]
        self._browser.pages[self._context] = self
        self._call("browsingContext.setViewport", {"context": self._context, "viewport": dict(zip(("width", "height"), self._size))})
        self._call("browsingContext.navigate", {"context": self._context, "url": self._file.as_uri(), "wait": "complete"})
        return self

    def __exit__(self, *_):
        del self._browser.pages[self._context]
        self._call("browsingContext.close", {"context": self._context})

    def _call(self, method, params):
        return self._browser.call(method, params)

    def value(self, expression):
        """What JavaScript says of it, as JSON has it."""
        answer = self._call("script.evaluate", {"expression": f"Promise.resolve({expression}).then((v) => JSON.stringify(v))", "awaitPromise": True,
                                                "target": {"context": self._context}})
        if answer["type"] != "success":
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['text']}")
        text = answer["result"].get("value")
        return None if text is None else json.loads(text)

    def key(self, name, modifiers=0):
        """Presses a key as a user does: "Tab", "Enter", "ArrowRight", "+"; modifiers: 8 is Shift."""
        key = KEYS.get(name, name)
        shift = [{"type": "keyDown", "value": SHIFT}], [{"type": "keyUp", "value": SHIFT}]
        actions = [*(shift[0] if modifiers & 8 else []), {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}, *(shift[1] if modifiers & 8 else [])]
        self._call("input.performActions", {"context": self._context, "actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def drag(self, x0, y0, x1, y1):
        """Drags with the left button, in steps."""
        steps = [{"type": "pointerMove", "x": round(x0 + (x1 - x0) * i / 5), "y": round(y0 + (y1 - y0) * i / 5)} for i in range(1, 6)]
        actions = [{"type": "pointerMove", "x": round(x0), "y": round(y0)}, {"type": "pointerDown", "button": 0}, *steps, {"type": "pointerUp", "button": 0}]
        self._call("input.performActions", {"context": self._context, "actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})

    def _located(self, value, start=None):
        """Elements by role, by name, or by both, as Firefox computes them: it looks at each element of the document, which takes seconds."""
        where = {"startNodes": [{"sharedId": start}]} if start else {}
        found = self._call("browsingContext.locateNodes", {"context": self._context, "locator": {"type": "accessibility", "value": value}, **where})
        return [node["sharedId"] for node in found["nodes"]]

    def nodes(self):
        """What a screen reader hears: [(role, name)], of the roles that tests ask for; "?" is some name. Of rows of nothing
        but texts, the first one alone."""
        self._take_out_texts()
        nameless = set(self._located({"name": ""}))
        return [(role, "" if node in nameless else "?") for role in ROLES for node in self._located({"role": role})]

    def _take_out_texts(self):
        """Rows of nothing but texts, all but the first, leave the document: they are most of it, and have no role that needs a name."""
        self.value(f"""(() => document.querySelectorAll('tbody tr:not(:first-child):not(:has({NAMED})), li:not(:has({NAMED}))').forEach((e) => e.remove()))()""")

    def nameless(self, roles):
        """Those of the roles that something has without a name. Asked of what may have a role that needs a name: no cell of a table."""
        self._take_out_texts()
        nodes = self._located({"name": ""})
        may = self._call("script.callFunction", {
            "functionDeclaration": f"""(...all) => JSON.stringify(all.map((e) => e.matches('{NAMED}') && !e.closest('[aria-hidden="true"]')))""",
            "awaitPromise": False, "arguments": [{"sharedId": node} for node in nodes], "target": {"context": self._context}})
        asked = [node for node, one in zip(nodes, json.loads(may["result"]["value"])) if one]
        return [role for node in asked for role in roles if node in self._located({"role": role}, node)]

    def screenshot(self, file, whole=True):
        """A PNG of what is seen, or of the whole page."""
        picture = self._call("browsingContext.captureScreenshot", {"context": self._context, "origin": "document" if whole else "viewport"})
        pathlib.Path(file).write_bytes(base64.b64decode(picture["data"]))

    def pdf(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self._call("browsingContext.print", {"context": self._context})["data"]))
