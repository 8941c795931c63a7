#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages for those who see little or nothing, or have no mouse: contrast by WCAG's formula, keys, roles and names. Usage as of opening.py."""
import collections
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

TSUNAGI, CONFIGS = sys.argv[1], sys.argv[2]
PAGES = {
    "run": ["report", f"{CONFIGS}/runs/tca_ping_pong.json", "--set", '/scenario/sizes=["8 B","1 KiB"]', "--set", "/scenario/iterations=2"],
    "traffic": ["report", f"{CONFIGS}/runs/torus_traffic.json", "--set", "/machine/topology/sizes=[4,4]", "--set", "/scenario/grid=[4,4]",
                "--set", '/scenario/loads=["10 %","90 %"]', "--set", "/scenario/window=2 us"],
    "long": ["report", f"{CONFIGS}/runs/tca_dma_ping_pong.json", "--size", "1 MiB"],
    "figures": ["check", "--id", "p2-theoretical-peak", "--id", "gf-bw-conv-f2g", "--configs", CONFIGS]}
written = tempfile.TemporaryDirectory()

# The contrast of each text with what is behind it, and of what is drawn with the page; WCAG 2.1, 1.4.3 and 1.4.11. Details are opened: they
# are read, too. The machine's picture has its own colours: its texts are held against the boxes that they stand in.
CONTRASTS = """(() => {
  const parsed = (c) => { const n = (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number); return { rgb: n.slice(0, 3), alpha: n.length > 3 ? n[3] : 1 }; };
  const over = (top, bottom) => top.rgb.map((v, i) => v * top.alpha + bottom[i] * (1 - top.alpha));
  const luminance = (rgb) => rgb.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const known = (of) => { const all = new Map(); return (e) => { if (!all.has(e)) all.set(e, of(e)); return all.get(e); }; };
  const behind = known((e) => {
    if (!e) return [255, 255, 255];
    const colour = parsed(getComputedStyle(e).backgroundColor);
    if (colour.alpha === 0 || e instanceof SVGElement) return behind(e.parentElement); // of which none is drawn behind
    return colour.alpha === 1 ? colour.rgb : over(colour, behind(e.parentElement));
  });
  const opacity = known((e) => e ? Number(getComputedStyle(e).opacity) * opacity(e.parentElement) : 1);
  document.querySelectorAll('details').forEach((d) => { d.open = true; });
  const out = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || ['SCRIPT', 'STYLE', 'title', 'OPTION'].includes(e.tagName) || !e.getClientRects().length || e.closest('.picture')) continue;
    const style = getComputedStyle(e);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const colour = parsed(e instanceof SVGElement ? style.fill : style.color);
    const back = behind(e);
    out.push({ what: `${e.tagName}.${e.getAttribute('class') || ''} ${texts.currentNode.data.trim().slice(0, 30)}`, least: isLarge ? 3 : 4.5,
      ratio: ratio(over({ rgb: colour.rgb, alpha: colour.alpha * opacity(e) }, back), back) });
  }
  const marks = { stroke: '.plot .curve', fill: '.plot .point, .stage', backgroundColor: '.sample:not(.idle)' };
  for (const [property, selector] of Object.entries(marks))
    for (const e of document.querySelectorAll(selector)) {
      const back = behind(property === 'backgroundColor' ? e.parentElement : e);
      out.push({ what: `${e.tagName}.${e.getAttribute('class')}`, least: 3, ratio: ratio(parsed(getComputedStyle(e)[property]).rgb, back) });
    }
  for (const e of document.querySelectorAll('.picture g.device')) {
    const box = e.querySelector('rect, path'), text = e.querySelector('text');
    if (box && text) out.push({ what: `picture: ${text.textContent}`, least: 4.5, ratio: ratio(parsed(getComputedStyle(text).fill).rgb, parsed(getComputedStyle(box).fill).rgb) });
  }
  return out;
})()"""

# What is wrong with roles, names and order, as far as the document itself can tell.
STRUCTURE = """(() => {
  const faults = [];
  document.querySelectorAll('details').forEach((d) => { d.open = true; });
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => faults.push(`two elements are #${id}`));
  for (const attribute of ['aria-labelledby', 'aria-controls', 'aria-describedby'])
    for (const e of document.querySelectorAll(`[${attribute}]`))
      for (const id of e.getAttribute(attribute).split(' ')) if (!document.getElementById(id)) faults.push(`${attribute} of ${e.tagName}: there is no #${id}`);
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) faults.push(`${heading.tagName} "${heading.textContent}" follows H${level}`);
    level = now;
  }
  if (!document.documentElement.lang) faults.push('no language');
  if (document.querySelectorAll('main').length !== 1) faults.push('not one main');
  // Without a name it is no region to a screen reader, and nobody hears that one is missing.
  for (const e of document.querySelectorAll('[role="region"]')) if (!e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby')) faults.push(`a region without a name: ${e.className}`);
  for (const table of document.querySelectorAll('table')) if (!table.caption || !table.caption.textContent) faults.push('a table without a caption');
  for (const th of document.querySelectorAll('th')) if (!th.scope && !th.closest('[aria-hidden]')) faults.push(`a heading cell without scope: ${th.textContent}`);
  for (const svg of document.querySelectorAll('svg')) if (!svg.closest('[aria-hidden="true"]') && !svg.getAttribute('aria-label') && !svg.parentElement.closest('svg')) faults.push(`an SVG without a name: ${svg.getAttribute('class')}`);
  for (const e of document.querySelectorAll('*')) {
    const style = getComputedStyle(e);
    if (/auto|scroll/.test(style.overflowX + style.overflowY) && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) && e.tabIndex < 0
        && !e.querySelector('a, button, select, summary, [tabindex="0"]') && e !== document.documentElement && e !== document.body)
      faults.push(`${e.tagName}.${e.className} scrolls, but not by keys`);
  }
  return faults;
})()"""

# Marks what has to be reached by Tab, and forgets what is not seen; of elements among which arrows move, one.
TO_REACH = """(() => {
  const all = [...document.querySelectorAll('a[href], button, select, summary, [tabindex="0"]')].filter((e) => e.checkVisibility() && e.tabIndex >= 0 && !e.closest('[hidden]'));
  all.forEach((e, i) => { e.dataset.reach = i; });
  document.activeElement.blur();
  return all.map((e) => `${e.tagName}.${e.getAttribute('class') || ''} ${e.textContent.slice(0, 20)}`);
})()"""


def page_of(name):
    file = pathlib.Path(written.name, f"{name}.html")
    if not file.is_file():
        words = PAGES[name]
        subprocess.run([TSUNAGI, *words, "--html" if words[0] == "check" else "--out", str(file)], check=True, timeout=300, stdout=subprocess.DEVNULL)
    return file


class Accessibility(unittest.TestCase):
    def test_contrast_in_both_schemes(self):
        for name in PAGES:
            for dark in (False, True):
                with browser.Page(page_of(name), dark=dark) as page:
                    found = page.value(CONTRASTS)
                self.assertGreater(len(found), 20)
                worst = collections.OrderedDict()
                for f in sorted(found, key=lambda f: f["ratio"]):
                    if f["ratio"] < f["least"]:
                        worst.setdefault(f["what"].split(" ")[0], f"{f['ratio']:.2f} < {f['least']}: {f['what']}")
                with self.subTest(page=name, dark=dark):
                    self.assertEqual(list(worst.values()), [])

    def test_structure(self):
        for name in PAGES:
            with browser.Page(page_of(name)) as page, self.subTest(page=name):
                self.assertEqual(page.value(STRUCTURE), [])

    def test_tab_reaches_all_and_shows_where_it_is(self):
        for name in PAGES:
            with browser.Page(page_of(name)) as page, self.subTest(page=name):
                wanted = page.value(TO_REACH)
                reached, unseen = set(), []
                for _ in range(len(wanted) + 20):
                    page.key("Tab")
                    at = page.value("""(() => { const e = document.activeElement, s = getComputedStyle(e);
                      return [e.dataset.reach ?? null, `${e.tagName}.${e.getAttribute('class') || ''}`, (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2)
                        || parseFloat(s.strokeWidth) >= 2 || [...e.querySelectorAll('rect, .hit')].some((c) => parseFloat(getComputedStyle(c).strokeWidth) >= 3)]; })()""")
                    if at[0] is None:
                        continue
                    reached.add(int(at[0]))
                    if not at[2]:
                        unseen.append(at[1])
                self.assertEqual([w for i, w in enumerate(wanted) if i not in reached], [])
                self.assertEqual(unseen, [])

    NAMED = ("button", "combobox", "link", "img", "image", "application", "table", "heading", "graphics-document")

    def test_names_are_heard(self):
        for name in PAGES:
            with browser.Page(page_of(name)) as page, self.subTest(page=name):
                self.assertEqual(page.nameless(self.NAMED), [])

    def test_what_has_no_name_is_noticed(self):
        with browser.Page(page_of("run")) as page:
            page.value("(() => { document.querySelector('main').append(document.createElement('button')); return true; })()")
            self.assertEqual(page.nameless(self.NAMED), ["button"])
            page.value("(() => { document.querySelector('[role=\"region\"]').removeAttribute('aria-label'); return true; })()")
            page.value("(() => { document.querySelector('[role=\"region\"]').removeAttribute('aria-labelledby'); return true; })()")
            self.assertTrue(any("a region without a name" in fault for fault in page.value(STRUCTURE)))


if __name__ == "__main__":
    if not browser.program():
        print(f"SKIPPED: there is no {browser.NAME} ({browser.NEEDS}): accessibility was NOT tested in it", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
