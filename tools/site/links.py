#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dead links, dead anchors and requests to other hosts in a built site: links.py FOLDER; exit code 1 if there are any."""
import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(v for v in (values.get("id"), values.get("name") if tag == "a" else None) if v)
        for key in ("href", "src"):
            if values.get(key):
                is_loaded = (tag, key) in LOADED and values.get("rel") not in ("canonical", "next", "prev")
                (self.loads if is_loaded else self.links).append(values[key])


def problems(folder):
    pages = {f: Page(f.read_text()) for f in sorted(folder.rglob("*.html"))}
    if not pages:
        yield f"{folder} has no page"
    for file, page in pages.items():
        name = file.relative_to(folder)
        if str(name) == "404.html":  # its links are of the root of a host
            continue
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    yield f"{name}: asks {parts.netloc or link} for something"
                continue
            to = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            if to.is_dir():
                to = to / "index.html"
            if not to.is_relative_to(folder):
                yield f"{name}: {link} leads out of the site"
            elif not to.is_file():
                yield f"{name}: {link} leads nowhere"
            elif parts.fragment and to in pages and urllib.parse.unquote(parts.fragment) not in pages[to].ids:
                yield f"{name}: {link}: there is no such anchor"
    for file in sorted(folder.rglob("*.css")):
        for url in re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)'\"]+)", file.read_text()):
            yield f"{file.relative_to(folder)}: asks for {url}"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    sys.exit(1 if found else 0)
