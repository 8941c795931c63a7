#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/ as a site builds without a warning, and what is wrong with documents is told: usage site.py SOURCE

Exit code 77, with a word on standard error, where there is no mkdocs or no theme.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
INDEX = "# Documents\n\n**Use.** [README](../README.md): what it is · [one](one.md): a page\n\n**Models: buses.** [two](two.md): a page\n\n" \
        "**Models: networks.** [learn](learn/README.md): lessons\n"
DOCUMENTS = {"README.md": "# The program\n\nSee [one](docs/one.md#a-part) and [parts](configs).\n", "docs/README.md": INDEX,
             "docs/one.md": "# One\n\n## A part\n\n[a config](../configs/x.json), [two](two.md#its-table_of-parts), `[no](link.md)`\n\n```sh\n[no](link.md)\n```\n",
             "docs/one/inner.md": "# Behind one\n\n[one](../one.md)\n",
             "docs/two.md": "# Two\n\n## Its `table_of` parts\n\n[the house](../README.md#the-program)\n",
             "docs/learn/README.md": "# Lessons\n\n[one](01_first.md)\n", "docs/learn/01_first.md": "# First\n\n[one](../one.md)\n",
             "configs/x.json": '{"text": "</code><script>"}\n'}


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.out = self.root / "out"

    def small(self, **changed):
        """A small repository, some of its documents others: {path: text}."""
        for path, text in {**DOCUMENTS, **changed.get("of", {})}.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        shutil.copytree(SOURCE / "tools/site", self.root / "tools/site", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(SOURCE / "tools/site.sh", self.root / "tools")
        return self.root

    def build(self, root):
        return subprocess.run(["sh", str(root / "tools/site.sh"), str(self.out)], capture_output=True, text=True, timeout=120)

    def fails(self, word, of):
        done = self.build(self.small(of=of))
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertIn(word, done.stderr)

    def test_the_documents_build(self):
        done = self.build(SOURCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        pages = {str(f.relative_to(self.out)) for f in self.out.rglob("*.html")}
        for document in (SOURCE / "docs").rglob("*.md"):
            path = str(document.relative_to(SOURCE / "docs")).replace("README.md", "index.md").removesuffix(".md") + ".html"
            self.assertIn(path, pages)

    def test_sections_and_files_outside(self):
        done = self.build(self.small())
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.out / "one.html").read_text()
        self.assertIn('href="source/configs/x.json.html"', page)
        self.assertIn('href="two.html#its-table_of-parts"', page)
        self.assertIn("[no](link.md)", page)
        self.assertNotIn("</code><script>", (self.out / "source/configs/x.json.html").read_text())
        self.assertIn('href="x.json.html"', (self.out / "source/configs/index.html").read_text())
        navigation = [page.index(word) for word in ('href="source/index.html"', "Buses", 'href="learn/index.html"', 'href="learn/01_first.html"')]
        self.assertEqual(navigation, sorted(navigation))

    def test_a_link_that_leads_nowhere(self):
        self.fails("docs/one.md: there is no gone.md", {"docs/one.md": "# One\n\n## A part\n\n[two](gone.md)\n"})

    def test_a_link_out_of_the_repository(self):
        self.fails("docs/one.md: there is no ../../../etc/passwd", {"docs/one.md": "# One\n\n## A part\n\n[two](../../../etc/passwd)\n"})

    def test_a_link_of_a_file_outside_docs(self):
        self.fails("README.md: there is no docs/gone.md", {"README.md": "# The program\n\n[a](docs/one.md) [b](docs/gone.md)\n"})

    def test_an_anchor_that_is_not_there(self):
        self.fails("two.html#gone: there is no such anchor", {"docs/one.md": "# One\n\n## A part\n\n[two](two.md#gone)\n"})

    def test_an_anchor_in_the_page_itself(self):
        self.fails("#gone: there is no such anchor", {"docs/one.md": "# One\n\n## A part\n\n[here](#gone)\n"})

    def test_a_picture_of_another_host(self):
        self.fails("one.html: asks host.invalid", {"docs/one.md": "# One\n\n## A part\n\n![picture](https://host.invalid/x.png)\n"})

    def test_a_document_that_the_index_leaves_out(self):
        self.fails("does not list docs/three.md", {"docs/three.md": "# Three\n"})

    def test_a_list_that_would_be_a_paragraph(self):
        self.fails("docs/one.md:6: a list needs an empty line", {"docs/one.md": "# One\n\n## A part\n\nwords:\n- one\n- two\n"})

    def test_a_folder_of_other_things_is_left_alone(self):
        self.out.mkdir()
        (self.out / "thesis.tex").write_text("x")
        done = self.build(self.small())
        self.assertEqual(done.returncode, 2)
        self.assertTrue((self.out / "thesis.tex").is_file())


if __name__ == "__main__":
    if not shutil.which("mkdocs") or not pathlib.Path("/usr/share/mkdocs/themes/material").is_dir():
        print("SKIPPED: there is no mkdocs with its theme (Debian's packages mkdocs and mkdocs-material): the documents' site was NOT tested", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
