#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paths of a hundred thousand stages in a browser: as large, as fast and as true as promised. Usage as of opening.py."""
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import unittest

import browser

TSUNAGI = sys.argv[1]
KINDS = {"step": "software", "pipeline": "chip", "serialise": "wire", "credit_wait": "wait", "odd": "other"}
STAGES = 100_000
# Pans and zooms once a frame, and says how long each frame took and how long its drawing.
FRAMES = """(async () => {
  const frame = window.requestAnimationFrame.bind(window);
  const drawn = [], frames = [];
  window.requestAnimationFrame = (f) => frame((t) => { const from = performance.now(); f(t); drawn.push(performance.now() - from); });
  const canvas = document.querySelector('canvas');
  canvas.scrollIntoView({ behavior: 'instant', block: 'center' });
  const key = (name, shiftKey = false) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key: name, shiftKey, bubbles: true }));
  key('0');
  for (let i = 0; i < ZOOMED; i++) key('+');
  let last = await new Promise(frame);
  for (let i = 0; i < 120; i++) {
    key(i % 60 < 30 ? 'ArrowRight' : 'ArrowLeft', true);
    if (i % 4 === 0) key(i % 8 ? '+' : '-');
    const now = await new Promise(frame);
    frames.push(now - last);
    last = now;
  }
  window.requestAnimationFrame = frame;
  return { frames: frames.slice(5), drawn: drawn.slice(5) };
})()"""


def path(stages, seed=7):
    """A message's path: lanes in turn, kinds in turn, durations at random, gaps now and then."""
    numbers, at, out = random.Random(seed), 0, []
    kinds = list(KINDS)
    for i in range(stages):
        duration = numbers.randint(1, 4_000_000)
        out.append({"device": f"node{i % 12}.device", "stage": f"stage {i % 5}", "kind": kinds[i % 5], "start_fs": at, "duration_fs": duration})
        at += duration + (numbers.randint(1, 9999) if i % 100 == 0 else 0)
    return out, at


def page_of(test, segments, total):
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    result, page = pathlib.Path(folder.name, "result.json"), pathlib.Path(folder.name, "page.html")
    explained = {"from": 0, "to": 1, "size_bytes": 64, "method": "dma", "latency_fs": total, "segments": segments}
    result.write_text(json.dumps({"run": {"name": "many"}, "rows": [], "explanations": [explained]}))
    subprocess.run([TSUNAGI, "report", str(result), "--out", str(page)], check=True, timeout=60)
    return page


class Timelines(unittest.TestCase):
    def opened(self, segments, total, **how):
        page = browser.Page(page_of(self, segments, total), **how)
        page.__enter__()
        self.addCleanup(page.__exit__)
        page.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        return page

    def told(self, page):
        return page.value("document.querySelector('#time .told').textContent")

    def colour(self, page, lane, x):
        """The colours of the lowest drawn pixel of a lane, and of its middle, at a part of the width."""
        return page.value(f"""(() => {{
          const canvas = document.querySelector('canvas'), ratio = window.devicePixelRatio, context = canvas.getContext('2d');
          return [0.8, 0.5].map((part) => [...context.getImageData(Math.floor(canvas.width * {x}), Math.floor(({lane} + part) * 22 * ratio), 1, 1).data]);
        }})()""")

    def test_size_and_frames(self):
        segments, total = path(STAGES)
        file = page_of(self, segments, total)
        self.assertLess(file.stat().st_size, 10_000_000)
        with browser.Page(file) as page:
            self.assertEqual(page.value("document.querySelectorAll('#time canvas').length"), 1)
            for zoomed in (0, 3, 8, 14):
                # What else the machine does only makes a pass slower: one of a few shows what the page can do.
                for last in (False, False, False, True):
                    said = page.value(FRAMES.replace("ZOOMED", str(zoomed)))
                    frame, drawn = statistics.median(said["frames"]), statistics.median(said["drawn"])
                    if last or (drawn < 1000 / 60 and frame < 1000 / 60 + 1):
                        break
                print(f"\n  {browser.NAME}, zoomed 2^{zoomed}: a frame each {frame:.1f} ms (nine tenths within "
                      f"{sorted(said['frames'])[len(said['frames']) * 9 // 10]:.1f}), drawn in {drawn:.1f} ms", file=sys.stderr, end="")
                self.assertLess(drawn, 1000 / 60)
                self.assertLess(frame, 1000 / 60 + 1)
            self.assertEqual(page.complaints, [])

    def test_keys_go_from_stage_to_stage_and_zoom(self):
        segments, total = path(5000)
        page = self.opened(segments, total)
        for _ in range(40):
            page.key("Tab")
            if page.value("document.activeElement.tagName") == "CANVAS":
                break
        self.assertTrue(self.told(page).startswith("node0.device, stage 0: "))
        page.key("ArrowRight")
        self.assertTrue(self.told(page).startswith("node1.device, stage 1: "))
        page.key("End")
        self.assertTrue(self.told(page).startswith(f"node{4999 % 12}.device, stage {4999 % 5}: "))
        page.key("ArrowLeft")
        self.assertTrue(self.told(page).startswith(f"node{4998 % 12}.device, stage {4998 % 5}: "))
        page.key("Home")
        for _ in range(13):
            page.key("+")
        page.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        for i in (0, 1, 2):  # each in its lane, and nothing where the others are
            middle = (segments[i]["start_fs"] + segments[i]["duration_fs"] / 2) / (total / 2 ** 13)
            if middle >= 1:
                break
            for lane in (0, 1, 2):
                self.assertEqual(self.colour(page, lane, middle)[1][3] > 0, lane == i, (lane, i))
        self.assertGreater(i, 0)

    def test_columns_of_many_stages_show_their_parts(self):
        """One lane, three quarters of its time on wires and one waiting: where they are narrower than a pixel, and where not."""
        segments = [{"device": "a", "stage": "s", "kind": "serialise" if i % 2 == 0 else "credit_wait", "start_fs": 2_000_000 * i + (1_000_000 if i % 2 else 0),
                     "duration_fs": 3_000_000 if i % 2 == 0 else 1_000_000} for i in range(20_000)]
        page = self.opened(segments, segments[-1]["start_fs"] + 1_000_000)
        counts = page.value("""(() => {
          const canvas = document.querySelector('canvas'), out = {};
          const data = canvas.getContext('2d').getImageData(Math.floor(canvas.width / 3), 0, 1, canvas.height).data;
          for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 250) { const c = data.slice(i, i + 3).join(); out[c] = (out[c] || 0) + 1; }
          return out; })()""")
        wire, wait = counts.get("0,158,115", 0), counts.get("168,50,111", 0)
        self.assertAlmostEqual(wire / (wire + wait), 0.75, delta=0.08, msg=counts)
        box = page.value("(({ x, y, width, height }) => [x, y, width, height])(document.querySelector('canvas').getBoundingClientRect())")
        page.drag(box[0] + box[2] / 2, box[1] + box[3] / 2, box[0] + box[2] / 2 - 100, box[1] + box[3] / 2)
        self.assertRegex(self.told(page), r"^a: \d+ stages in .*: bytes on wires, and cables 7\d\.\d %, waiting 2\d\.\d %$")

    def test_dragging_moves_time(self):
        segments, total = path(5000)
        page = self.opened(segments, total)
        page.value("document.querySelector('canvas').scrollIntoView({ behavior: 'instant', block: 'center' })")
        for _ in range(4):
            page.value("document.querySelector('#time .controls button').click()")
        ticks = "document.querySelector('#time svg.axis .tick text').textContent"
        settled = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"
        page.value(settled)
        before = page.value(ticks)
        box = page.value("(({ x, y, width, height }) => [x, y, width, height])(document.querySelector('canvas').getBoundingClientRect())")
        page.drag(box[0] + box[2] * 0.6, box[1] + 5, box[0] + box[2] * 0.1, box[1] + 5)
        page.value(settled)
        self.assertNotEqual(page.value(ticks), before)
        self.assertEqual(page.complaints, [])


if __name__ == "__main__":
    if not browser.program():
        print(f"SKIPPED: there is no {browser.NAME} ({browser.NEEDS}): what timelines do in it was NOT tested", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
