# SPDX-License-Identifier: Apache-2.0
"""What tests of pages share: usage of each PART.py PROGRAM CONFIGS [CASE]. Exit code 77, with a word on standard error, where there is no browser."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

TSUNAGI, CONFIGS = sys.argv[1], sys.argv[2]
HOSTILE = "</script><script>document.title='taken'</script><!-- \u2028 \"'& <img src=x onerror=document.title='taken'>"
SMALL = ["--set", '/scenario/sizes=["8 B","1 KiB","64 KiB"]', "--set", "/scenario/iterations=2"]


def page_of(test, *words):
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    file = pathlib.Path(folder.name) / "page.html"
    command = [TSUNAGI, *words, "--html" if words[0] == "check" else "--out", str(file)]
    subprocess.run(command, check=True, timeout=300, stdout=subprocess.DEVNULL)
    return file


def opened(test, *words, **how):
    page = browser.Page(page_of(test, *words), **how)
    test.addCleanup(page.__exit__)
    return page.__enter__()


class Case(unittest.TestCase):
    def is_quiet(self, page):
        """Nothing complains, and nothing but the file is asked for."""
        self.assertEqual(page.complaints, [])
        self.assertEqual([r for r in page.requests if not r.startswith("file:")], [])
        self.assertEqual(len(page.requests), 1)

    def cells(self, page, section, column):
        return page.value(f"[...document.querySelectorAll('#{section} tbody tr')].map((r) => r.cells[{column}].textContent)")


def main():
    if not browser.program():
        print(f"SKIPPED: there is no {browser.NAME} ({browser.NEEDS}): what pages do in it was NOT tested", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
