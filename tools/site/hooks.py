# SPDX-License-Identifier: Apache-2.0
"""What docs/ needs to be a site: sections as docs/README.md tells them, and pages of files outside docs/ that are linked.

mkdocs calls on_*. A file outside docs/ has its page at source/PATH: a document as it is, any other file as a block of
text, a folder as its README or a list of its files. So a link never leads out of the site, and none is left out.
"""
import logging
import pathlib
import posixpath
import re
import tempfile

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTSIDE = "source/"
LANGUAGES = {".json": "json", ".cpp": "cpp", ".hpp": "cpp", ".js": "javascript", ".py": "python", ".sh": "sh", ".cmake": "cmake",
             ".xml": "xml", ".yml": "yaml"}
LARGEST = 200_000  # bytes of a file that is shown whole
log = logging.getLogger("mkdocs.plugins.site")
made = tempfile.TemporaryDirectory(prefix="tsunagi-site-")


def in_repository(page):
    """Where a page's text is from: "docs/tca.md" of "tca.md"; of "source/README.md" "README.md"."""
    if not page.startswith(OUTSIDE):
        return "docs/" + page
    path = page[len(OUTSIDE):]
    return path if (ROOT / path).is_file() else path.removesuffix(".md")


def page_of(path):
    """The page of a path in the repository; None: there is nothing there."""
    there = ROOT / path
    if there.is_dir():
        path = path.rstrip("/") + "/README.md" if path != "." else "README.md"
    elif not there.is_file():
        return None
    if path.startswith("docs/"):
        return path[len("docs/"):]
    return OUTSIDE + (path if path.endswith(".md") else path + ".md")


def with_links(text, replaced):
    """The text with replaced(target) instead of the target of each link that leads to a file. Code has no links."""
    out, is_code = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            parts = re.split(r"(`+[^`]*`+)", line)  # a link's text may be code, its target is not
            line = "".join(part if i % 2 else re.sub(r"\]\((?![a-z]+:)([^)\s#]+)(#[^)\s]*)?\)", lambda m: f"]({replaced(m[1])}{m[2] or ''})", part)
                           for i, part in enumerate(parts))
        out.append(line)
    return "\n".join(out)


def target_page(page, target):
    path = posixpath.normpath(posixpath.join(posixpath.dirname(in_repository(page)), target))
    if path.startswith("../"):
        return None
    return page_of(path)


def text_of(path):
    """The document that stands for a path outside docs/."""
    there = ROOT / path
    if path.endswith(".md") and there.is_file():
        return there.read_text()
    folder = ROOT / posixpath.dirname(path)
    if path.endswith("/README.md") and folder.is_dir():
        names = sorted(f.name for f in folder.iterdir() if f.is_file() and not f.name.startswith("."))
        return f"# {posixpath.dirname(path)}/\n\n" + "".join(f"- [`{n}`]({n})\n" for n in names)
    source = ROOT / path.removesuffix(".md")
    if source.stat().st_size > LARGEST:
        raise PluginError(f"{source} is too long for a page: link to its folder or to what describes it")
    fence = "`" * 6
    return f"# {source.name}\n\n`{path.removesuffix('.md')}` in the source tree:\n\n{fence}{LANGUAGES.get(source.suffix, 'text')}\n{source.read_text()}\n{fence}\n"


def links_of(page, text):
    found = []
    with_links(text, lambda target: found.append(target_page(page, target)) or target)
    return [page for page in found if page]


def on_files(files, config):
    """Adds the pages of files outside docs/ that documents link to, and those that these link to."""
    waiting = [link for f in files if f.src_path.endswith(".md") for link in links_of(f.src_path, pathlib.Path(f.abs_src_path).read_text())]
    done = {f.src_path for f in files}
    while waiting:
        page = waiting.pop()
        if page in done or not page.startswith(OUTSIDE):
            continue
        done.add(page)
        text = text_of(page[len(OUTSIDE):])
        file = pathlib.Path(made.name, page)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        files.append(File(page, made.name, config["site_dir"], config["use_directory_urls"]))
        if page.endswith(".md") and (ROOT / page[len(OUTSIDE):]).is_file() or page.endswith("/README.md"):
            waiting += links_of(page, text)
    style = pathlib.Path(made.name, "assets")
    style.mkdir(exist_ok=True)
    (style / "site.css").write_text((ROOT / "tools/site/site.css").read_text())
    files.append(File("assets/site.css", made.name, config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, **_):
    name = page.file.src_path
    lines = markdown.split("\n")
    is_code = False
    for i, line in enumerate(lines):
        is_code ^= line.lstrip().startswith("```")
        item = re.compile(r"\s*([-*]|\d+\.) ")
        if not is_code and item.match(line) and i and lines[i - 1].strip() and not item.match(lines[i - 1]) and not lines[i - 1].startswith("  "):
            log.warning("%s:%d: a list needs an empty line before it, else it is part of the paragraph", in_repository(name), i + 1)

    def replaced(target):
        to = target_page(name, target)
        if to is None:
            log.warning("%s: there is no %s", in_repository(name), target)
            return target
        return posixpath.relpath(to, posixpath.dirname(name) or ".")

    return with_links(markdown, replaced)


def sections(index):
    """[(section, [link])] of an index whose paragraphs begin with a bold name."""
    for name, text in re.findall(r"^\*\*([^*\n]+)\.\*\* (.+(?:\n.+)*)", index, re.M):
        yield name, re.findall(r"\]\(([^)#]+)\)", text)


def pages_behind(page, documents):
    """The pages of the folder that a page is the index of: learn/README.md, sensitivity.md."""
    folder = page.removesuffix("README.md") if page.endswith("/README.md") else page.removesuffix(".md") + "/"
    return sorted(d for d in documents if d.startswith(folder) and d != page)


def nav_of(index, documents):
    """The navigation; every document has to be in it."""
    nav, seen = [{"Documents": "README.md"}], {"README.md"}
    for name, links in sections(index):
        pages = [target_page("README.md", link) for link in links]
        if None in pages:
            raise PluginError(f"docs/README.md: there is no {links[pages.index(None)]}")
        pages = [p for page in pages for p in (page, *pages_behind(page, documents))]
        seen.update(pages)
        outer, _, inner = name.partition(": ")
        if not inner:
            nav.append({name: pages})
            continue
        if outer not in nav[-1]:
            nav.append({outer: []})
        nav[-1][outer].append({inner[0].upper() + inner[1:]: pages})
    missing = sorted(set(documents) - seen)
    if missing:
        raise PluginError(f"docs/README.md does not list docs/{missing[0]}")
    return nav


def on_config(config):
    docs = pathlib.Path(config["docs_dir"])
    documents = [str(f.relative_to(docs)) for f in docs.rglob("*.md")]
    config["nav"] = nav_of((docs / "README.md").read_text(), documents)
    return config
