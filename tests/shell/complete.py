#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types command lines and a tab into a real shell and looks at what it makes of them.
Usage: complete.py PROGRAM bash|zsh|fish"""

import os
import pty
import re
import select
import sys
import tempfile
import time

PROGRAM, SHELL = os.path.abspath(sys.argv[1]), sys.argv[2]
START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "--interactive"],
}
PREPARE = {
    "bash": 'PS1="> "; bind "set bell-style none"; bind "set completion-query-items 0"; eval "$(tsunagi completion bash)"',
    "zsh": 'PS1="> "; autoload -U compinit; compinit -u -D; eval "$(tsunagi completion zsh)"',
    "fish": "function fish_prompt; echo '> '; end; tsunagi completion fish | source",
}
# What is typed, how many tabs, and what then stands on the screen.
CASES = [
    ("tsunagi val", 1, "tsunagi validate "),
    ("tsunagi help expl", 1, "tsunagi help explain "),
    ("tsunagi run --cou", 1, "tsunagi run --counters "),
    ("tsunagi run x.json --format js", 1, "--format json "),
    ("tsunagi run x.json --format=js", 1, "--format=json "),
    ("tsunagi list topo", 1, "tsunagi list topologies "),
    ("tsunagi completion fi", 1, "tsunagi completion fish "),
    ("tsunagi check --system pea", 1, "--system peach2 "),
    ("tsunagi check --id p2-theoretical-p", 1, "--id p2-theoretical-peak "),
    ("tsunagi run ping", 1, "tsunagi run ping_pong.json "),
    ("tsunagi sweep col", 1, "tsunagi sweep collect "),
    ("tsunagi check --configs fold", 1, "--configs folder/"),
    ("tsunagi ", 2, "schema"),
]


class Terminal:
    def __init__(self, folder):
        self.seen = ""
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.environ.update(PATH=os.path.dirname(PROGRAM) + ":" + os.environ["PATH"], HOME=folder, TERM="xterm",
                              XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, LANG="C.UTF-8")
            os.execvp(START[SHELL][0], START[SHELL])

    def type(self, text):
        self.seen = ""
        os.write(self.fd, text.encode())

    def shows(self, wanted, seconds=20):
        """Whether that comes up, blanks and what only moves the cursor apart."""
        squeezed = wanted.replace(" ", "")
        end = time.time() + seconds
        while time.time() < end:
            if squeezed in self.plain():
                return True
            if select.select([self.fd], [], [], 0.1)[0]:
                self.seen += os.read(self.fd, 65536).decode(errors="replace")
                # fish asks the terminal what it is
                if "\x1b[c" in self.seen or "\x1b[0c" in self.seen:
                    os.write(self.fd, b"\x1b[?6c")
                    self.seen = self.seen.replace("\x1b[c", "").replace("\x1b[0c", "")
        return False

    def plain(self):
        text = re.sub(r"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[\[(][0-9;?]*[A-Za-z]|\x1b[=>]", "", self.seen)
        while "\b" in text:
            text = re.sub(r"[^\x08]?\x08", "", text, count=1)
        return re.sub(r"[\s⏎]", "", text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "ping_pong.json"), "w").close()
        open(os.path.join(folder, "ping_pong.txt"), "w").close()
        os.mkdir(os.path.join(folder, "folder"))
        terminal = Terminal(folder)
        terminal.type(PREPARE[SHELL] + "; echo rea''dy\r")
        if not terminal.shows("ready"):
            sys.exit(f"{SHELL} does not start: {terminal.seen!r}")
        bad = 0
        for typed, tabs, wanted in CASES:
            terminal.type(typed + "\t" * tabs)
            if not terminal.shows(wanted):
                print(f"{SHELL}: {typed!r} and tab: no {wanted!r} in {terminal.seen!r}")
                bad += 1
            terminal.type("\x15")  # away with it
            terminal.shows("never", 0.3)
        sys.exit(1 if bad else 0)


main()
