#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of odd data, on narrow screens, in the dark and on paper. Usage as of opening.py."""
import json
import pathlib
import subprocess
import tempfile

import browser
from opening import CONFIGS, HOSTILE, SMALL, TSUNAGI, Case, main, opened, page_of


class OddPages(Case):
    def test_others_words_are_text(self):
        with tempfile.TemporaryDirectory() as folder:
            result = json.loads(subprocess.run([TSUNAGI, "run", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL, "--format", "json", "--counters"],
                                               check=True, capture_output=True).stdout)
            result["run"]["title"] = result["digest"] = HOSTILE
            result["rows"][0][HOSTILE] = HOSTILE
            file = pathlib.Path(folder) / "result.json"
            file.write_text(json.dumps(result))
            page = opened(self, "report", str(file))
        self.assertEqual(page.value("document.querySelector('h1').textContent"), HOSTILE)
        self.assertIn(HOSTILE, page.value("document.querySelector('#rows table').textContent"))
        self.assertEqual(page.value("document.querySelectorAll('img').length"), 0)
        self.is_quiet(page)

    def test_the_policy_forbids_what_is_put_in(self):
        file = page_of(self, "report", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL)
        text = file.read_text()
        file.write_text(text.replace("</body>", "<script>document.title = 'taken'</script></body>"))
        with browser.Page(file) as page:
            self.assertNotEqual(page.value("document.title"), "taken")
            self.assertTrue(any("Content Security Policy" in c.replace("-", " ") for c in page.complaints), page.complaints)
            self.assertNotEqual(page.value("fetch('https://localhost/').then(() => 'sent', () => 'refused')"), "sent")

    def test_dark_and_printed(self):
        light = opened(self, "report", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL)
        dark = opened(self, "report", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL, dark=True)
        colour = "getComputedStyle(document.body).backgroundColor"
        self.assertNotEqual(light.value(colour), dark.value(colour))
        self.is_quiet(dark)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "page.pdf"
            dark.pdf(file)
            self.assertEqual(file.read_bytes()[:5], b"%PDF-")

    def test_results_with_little(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            for result in ({"run": {}, "rows": []}, {"run": {"name": "x"}, "rows": [{}, {"a": None}, {"latency_fs": "?"}]},
                           {"run": {}, "rows": [{"latency_fs": 5, "size_bytes": -1}, {"latency_fs": 0, "size_bytes": 0}], "accounts": {}, "cost": {},
                            "ceilings": [{}], "counters": [{}], "explanations": [None, {}]}):
                file.write_text(json.dumps(result))
                page = opened(self, "report", str(file))
                self.assertEqual(page.value("document.querySelectorAll('h1').length"), 1)
                self.is_quiet(page)

    def test_figures_stand_where_their_numbers_say(self):
        page = opened(self, "check", "--system", "gpu-fpga", "--configs", CONFIGS)
        figures = json.loads(page.value("document.getElementById('data').textContent"))["figures"]
        drawn = page.value("""[...document.querySelectorAll('figure > .scroll svg.deviations g.figure')].map((g) => ({ id: g.querySelector('text').textContent, status: g.classList[1],
          role: g.querySelector('circle').classList[1], x: +g.querySelector('circle').getAttribute('cx'), band: [+g.querySelector('rect').getAttribute('x'),
          +g.querySelector('rect').getAttribute('x') + +g.querySelector('rect').getAttribute('width')], y: +g.querySelector('circle').getAttribute('cy') }))""")
        self.assertEqual([(d["id"], d["status"], d["role"]) for d in drawn], [(f["id"], f["status"], f["role"]) for f in figures])
        for d, f in zip(drawn, figures):  # a point is in its band if and only if its figure passes
            self.assertEqual(d["band"][0] - 1e-6 <= d["x"] <= d["band"][1] + 1e-6, f["status"] == "pass", (d, f))
        near = [(f["simulated"] / f["value"], d["x"]) for d, f in zip(drawn, figures) if f["compare"] == "near"]
        self.assertEqual([x for _, x in sorted(near)], sorted(x for _, x in near))
        self.assertEqual(page.value("[...document.querySelectorAll('td .day')].map((d) => d.textContent)"), [f["first_run"] for f in figures])
        self.is_quiet(page)

    def test_narrow_screens(self):
        for words in (["report", f"{CONFIGS}/runs/tca_ping_pong.json", *SMALL], ["check", "--system", "gpu-fpga", "--configs", CONFIGS]):
            page = opened(self, *words, width=400)
            self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 400)
            heights = page.value("[...document.querySelectorAll('.picture svg text, .plot text:not(.y)')].map((t) => t.getBoundingClientRect().height)")
            self.assertGreater(len(heights), 10)
            self.assertGreater(min(heights), 7)  # of a line: what can be read
            self.is_quiet(page)

    def test_paper_has_all_rows_and_cuts_none_off(self):
        page = opened(self, "report", f"{CONFIGS}/runs/tca_ping_pong.json", *SMALL)
        rows = "document.querySelectorAll('#parameters tbody tr').length"
        before, there = page.value(rows), len(json.loads(page.value("document.getElementById('data').textContent"))["parameters"])
        self.assertLess(before, there)
        with tempfile.TemporaryDirectory() as folder:
            page.pdf(pathlib.Path(folder) / "page.pdf")
        self.assertEqual(page.value(rows), there)
        if browser.NAME == "chromium":  # Firefox's driver does not show a page as paper has it
            for words in (["report", f"{CONFIGS}/runs/tca_ping_pong.json", *SMALL], ["check", "--system", "gpu-fpga", "--configs", CONFIGS]):
                page = opened(self, *words, width=720, media="print")
                self.assertEqual(page.value("[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth && e.checkVisibility()"
                                            " && !e.closest('#config')).map((e) => `${e.tagName} ${e.textContent.slice(0, 40)}`)"), [])

    def test_many_curves_all_look_different(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            file.write_text(json.dumps({"run": {}, "rows": [{"size_bytes": size, "method": f"m{m:02}", "latency_fs": (m + 1) * 10**9 + size}
                                                            for m in range(16) for size in (128, 256, 512, 1024)]}))
            page = opened(self, "report", str(file))
        looks = page.value("[...document.querySelectorAll('svg.plot path.curve')].map((c) => getComputedStyle(c)).map((s) => [s.stroke, s.strokeDasharray, s.strokeWidth].join())")
        self.assertEqual((len(looks), len(set(looks))), (16, 16))
        ticks = page.value("[...document.querySelector('svg.plot g.axis').querySelectorAll('.tick text')].map((t) => t.textContent)")
        self.assertEqual(ticks, ["128 B", "256 B", "512 B", "1 KiB"])
        self.is_quiet(page)

    def test_long_titles_and_marks_of_direction(self):
        result = json.loads(subprocess.run([TSUNAGI, "run", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL, "--format", "json", "--counters"],
                                           check=True, capture_output=True).stdout)
        long, turned = "x" * 65536, "safe \u202egnp.exe\u202c"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            result["run"]["title"] = result["run"]["machine"]["title"] = result["rows"][0]["method"] = long
            result["rows"][1]["method"] = turned
            file.write_text(json.dumps(result))
            page = opened(self, "report", str(file))
            result["run"]["title"] = turned
            file.write_text(json.dumps(result))
            other = opened(self, "report", str(file))
        self.assertLess(page.value("document.querySelector('h1').getBoundingClientRect().height"), 300)
        self.assertLess(page.value("Number(document.querySelector('.picture svg').getAttribute('width'))"), 4000)
        self.assertLess(page.value("document.documentElement.scrollHeight"), 8000)
        self.assertEqual(page.value("document.querySelector('p.whole').textContent"), long)
        self.assertIn(long, page.value("document.querySelector('#rows table').textContent"))
        self.assertIn("safe ⟨U+202E⟩gnp.exe⟨U+202C⟩", page.value("document.querySelector('#rows table').textContent"))
        self.assertEqual(other.value("document.querySelector('h1').textContent"), "safe ⟨U+202E⟩gnp.exe⟨U+202C⟩")
        for one in (page, other):
            self.assertEqual(one.value("document.querySelectorAll('main')[0].textContent.match(/[\u202a-\u202e\u2066-\u2069]/)"), None)
            self.is_quiet(one)

    def test_one_row_and_none(self):
        result = json.loads(subprocess.run([TSUNAGI, "run", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL, "--format", "json", "--counters"],
                                           check=True, capture_output=True).stdout)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            file.write_text(json.dumps({**result, "rows": result["rows"][:1]}))
            one = opened(self, "report", str(file))
            file.write_text(json.dumps({**result, "rows": [], "incomplete": True}))
            none = opened(self, "report", str(file))
        self.assertEqual(one.value("[document.querySelectorAll('#rows tbody tr').length, document.querySelectorAll('#rows svg.plot').length]"), [1, 0])
        self.assertEqual(none.value("document.querySelectorAll('#rows').length"), 0)
        self.assertIn("did not come to its end", none.value("document.querySelector('.note').textContent"))
        for page in (one, none):
            self.is_quiet(page)

    def test_of_a_sweep_with_a_failed_point(self):
        with tempfile.TemporaryDirectory() as folder:
            sweep = pathlib.Path(folder) / "sweep.json"
            axis = {"name": "size", "path": "/scenario/sizes", "values": [["64 KiB"], ["128 KiB"], ["1 TiB"]]}
            sweep.write_text(json.dumps({"name": "mine", "run": {"$use": str(pathlib.Path(CONFIGS).resolve() / "runs/pcie_write_stream.json")}, "axes": [axis]}))
            subprocess.run([TSUNAGI, "sweep", "run", str(sweep), "--out", f"{folder}/results"], capture_output=True)
            page = opened(self, "report", f"{folder}/results")
        self.assertIn("1 point failed, and has no rows", page.value("document.querySelector('.note').textContent"))
        self.assertEqual(page.value("document.querySelectorAll('#rows tbody tr').length"), 2)
        self.is_quiet(page)


if __name__ == "__main__":
    main()
