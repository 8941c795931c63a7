#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tsunagi's pages do in a browser. Usage as of opening.py.

The browser is Chromium, or what TSUNAGI_TEST_BROWSER names (browser.py).
"""
import json
import pathlib
import subprocess
import tempfile

import browser
from opening import CONFIGS, SMALL, TSUNAGI, Case, main, opened


class Pages(Case):
    def test_what_a_page_asks_for_is_seen(self):
        """Without it, quiet pages would prove nothing."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "loud.html"
        file.write_text("<!DOCTYPE html><img src='http://127.0.0.1:64999/x.png'><script>console.error('loud')</script>")
        with browser.Page(file) as page:
            page.value("new Promise((done) => setTimeout(done, 200))")
            self.assertIn("http://127.0.0.1:64999/x.png", page.requests)
            self.assertIn("loud", str(page.complaints))

    def test_of_a_run(self):
        page = opened(self, "report", f"{CONFIGS}/runs/tca_ping_pong.json", *SMALL)
        self.assertEqual(page.value("[...document.querySelectorAll('main > section')].map((s) => s.id)"),
                         ["machine", "rows", "time", "ceilings", "accounts", "protocols", "counters", "parameters", "config", "not-modelled"])
        links = page.value("[...document.querySelectorAll('nav a')].every((a) => document.querySelector(a.getAttribute('href')))")
        self.assertTrue(links)
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 1400)
        self.is_quiet(page)

    def test_tables_sort_by_what_cells_hold_not_by_their_texts(self):
        page = opened(self, "report", f"{CONFIGS}/runs/tca_ping_pong.json", *SMALL)
        data = json.loads(page.value("document.getElementById('data').textContent"))
        sizes = [r["size_bytes"] for r in data["result"]["rows"]]
        texts = {8: "8 B", 1024: "1 KiB", 65536: "64 KiB"}
        self.assertEqual(self.cells(page, "rows", 1), [texts[s] for s in sizes])
        page.value("document.querySelectorAll('#rows th button')[1].focus()")
        page.key("Enter")
        self.assertEqual(self.cells(page, "rows", 1), [texts[s] for s in sorted(sizes)])
        self.assertEqual(page.value("document.querySelectorAll('#rows th')[1].getAttribute('aria-sort')"), "ascending")
        page.key("Enter")
        self.assertEqual(self.cells(page, "rows", 1), [texts[s] for s in sorted(sizes, reverse=True)])
        self.assertEqual(page.value("document.querySelectorAll('#rows [aria-sort]').length"), 1)
        self.assertIn("largest first", page.value("document.querySelector('#rows [role=status]').textContent"))
        self.is_quiet(page)

    def test_plots_have_a_point_a_row_and_a_curve_a_method(self):
        page = opened(self, "report", f"{CONFIGS}/runs/tca_ping_pong.json", *SMALL)
        rows = json.loads(page.value("document.getElementById('data').textContent"))["result"]["rows"]
        self.assertEqual(page.value("document.querySelectorAll('#rows svg.plot').length"), 2)
        for plot in (0, 1):
            inside = f"document.querySelectorAll('#rows svg.plot')[{plot}]"
            self.assertEqual(page.value(f"{inside}.querySelectorAll('circle.point').length"), len(rows))
            self.assertEqual(page.value(f"{inside}.querySelectorAll('path.curve').length"), 2)
            places = page.value(f"[...{inside}.querySelectorAll('circle.point')].map((c) => [+c.getAttribute('cx'), +c.getAttribute('cy')])")
            self.assertTrue(all(0 < x < 620 and 0 < y < 380 for x, y in places), places)
        pio = page.value("[...document.querySelectorAll('#rows svg.plot')[0].querySelectorAll('circle.c0')].map((c) => +c.getAttribute('cy'))")
        self.assertEqual(pio, sorted(pio, reverse=True))  # longer messages take longer, and time grows upwards
        self.is_quiet(page)

    def test_percentiles_of_traffic(self):
        sizes = ["--set", "/machine/topology/sizes=[4,4]", "--set", "/scenario/grid=[4,4]", "--set", '/scenario/loads=["10 %","60 %","90 %"]']
        page = opened(self, "report", f"{CONFIGS}/runs/torus_traffic.json", *sizes, "--set", "/scenario/window=2 us")
        data = json.loads(page.value("document.getElementById('data').textContent"))["result"]
        figures = page.value("[...document.querySelectorAll('#rows h3 + .panels figure')].map((f) => f.querySelector('figcaption').textContent)")
        self.assertEqual(figures, ["Percentiles of latency over load", "Latency over the part of messages that are no later"])
        legends = page.value("[...document.querySelectorAll('#rows h3 + .panels figure')].map((f) => [...f.querySelectorAll('.legend li')].map((l) => l.textContent.trim()))")
        self.assertEqual(legends[0], ["p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"])
        self.assertEqual(legends[1], ["load 10.0 %", "load 60.0 %", "load 90.0 %"])
        titles = page.value("[...document.querySelectorAll('#rows h3 + .panels figure')].map((f) => [...f.querySelectorAll('circle title')].map((t) => t.textContent))")
        p99 = [t for t in titles[0] if t.startswith("p99:")]
        self.assertEqual(len(p99), 3)
        for text, row in zip(p99, data["accounts"]["rows"]):
            told = float(text.split(", ")[1].split()[0]) * {"ns": 1e6, "µs": 1e9}[text.split()[-1]]
            self.assertAlmostEqual(told / row["latency"]["p99_fs"], 1, delta=0.001)
        messages = [r["latency"]["messages"] for r in data["accounts"]["rows"]]
        self.assertTrue(any(m < 10_000 for m in messages), messages)
        for m, load in zip(messages, legends[1]):  # no percentile of fewer messages than it needs
            self.assertEqual(any(t.startswith(load) and "99.99 %" in t for t in titles[1]), m >= 10_000, (load, m))
        self.is_quiet(page)

    def test_percentiles_that_lie_together_have_no_plot(self):
        page = opened(self, "report", f"{CONFIGS}/runs/ib_write_lat.json", "--set", '/scenario/sizes=["2 B","1 KiB"]')
        self.assertEqual(page.value("document.querySelectorAll('#rows h3').length"), 0)
        self.is_quiet(page)

    def test_keys_alone_reach_wires_devices_and_stages(self):
        page = opened(self, "report", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL)
        for _ in range(60):
            page.key("Tab")
            if page.value("document.activeElement.classList.contains('device')"):
                break
        name = page.value("document.activeElement.getAttribute('aria-label')").removeprefix("device ")
        self.assertEqual(page.value("document.querySelector('#account h3').textContent"), name)
        for _ in range(100):
            page.key("ArrowRight")
            if page.value("document.activeElement.classList.contains('wire')"):
                break
        ends = page.value("document.activeElement.getAttribute('aria-label')")
        heading = page.value("document.querySelector('#account h3').textContent")
        self.assertTrue(ends.startswith("wire " + heading.replace(" – ", " to ")), (ends, heading))
        data = json.loads(page.value("document.getElementById('data').textContent"))
        counted = next(c for c in data["result"]["counters"] if c["from"] == heading.split(" – ")[0])
        cells = page.value("Object.fromEntries([...document.querySelectorAll('#account tbody tr')].map((r) => [r.cells[0].textContent, r.cells[1].textContent]))")
        self.assertEqual(int(cells["packets"].replace(",", "")), counted["packets"])
        self.assertEqual(page.value("document.querySelectorAll('#machine [aria-pressed]').length"), 1)
        for _ in range(60):
            page.key("Tab")
            if page.value("document.activeElement.classList.contains('stage')"):
                break
        page.key("ArrowRight")  # the first one is too short to be seen
        before = page.value("+document.activeElement.getAttribute('width')")
        page.key("+")
        self.assertAlmostEqual(page.value("+document.activeElement.getAttribute('width')") / before, 2, delta=0.01)
        page.key("0")
        page.key("End")
        self.assertIn("fetch the line", page.value("document.querySelector('#time .told').textContent"))
        self.is_quiet(page)

    def test_stages_tile_the_message(self):
        page = opened(self, "report", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL)
        bars = page.value("[...document.querySelector('#time figure.waterfall').querySelectorAll('rect.stage')].map((r) => [+r.getAttribute('x'), +r.getAttribute('width')])")
        self.assertGreater(len(bars), 15)
        for (x, width), (following, _) in zip(bars, bars[1:]):
            if width > 1.2:  # thinner ones are drawn so wide
                self.assertAlmostEqual(x + width, following, places=6)
        ranks = page.value("[...[...document.querySelectorAll('#time figure.waterfall')].find((f) => f.textContent.startsWith('What the ranks did')).querySelectorAll('rect.stage')]"
                           ".map((r) => r.getAttribute('aria-label'))")
        self.assertTrue(any(r.startswith("rank 1, send: store the message: ") for r in ranks), ranks)
        self.assertTrue(any(r.startswith("rank 0, receive: poll the last word (polling loop ") for r in ranks), ranks)
        self.is_quiet(page)

    def test_screen_readers_hear_headings_tables_and_names(self):
        page = opened(self, "report", f"{CONFIGS}/runs/tca_pio_ping_pong.json", *SMALL)
        nodes = page.nodes()
        heard = {role for role, _ in nodes}
        self.assertLessEqual({"main", "navigation", "heading", "table", "columnheader", "rowheader", "button"}, heard)
        for role, name in nodes:
            if role in ("button", "combobox", "link", "region"):
                self.assertTrue(name, role)
        self.is_quiet(page)

    def test_ranks_have_a_line_each(self):
        page = opened(self, "report", f"{CONFIGS}/runs/halo_mpi.json", "--set", "/scenario/iterations=1")
        one = json.loads(page.value("document.getElementById('data').textContent"))["explanations"][0]
        self.assertEqual([r["rank"] for r in one["rank_timeline"]], list(range(16)))
        for rank in one["rank_timeline"]:
            ends = [0] + [s["start_fs"] + s["duration_fs"] for s in rank["stages"]]
            self.assertTrue(all(s["start_fs"] >= end for s, end in zip(rank["stages"], ends)))
            self.assertLessEqual(ends[-1], one["duration_fs"])
            self.assertIn("wait", {s["kind"] for s in rank["stages"]})
        on_path = {p["rank"] for p in one["critical_path"]}
        names = page.value("[...[...document.querySelectorAll('#time figure')].find((f) => f.querySelector('figcaption').textContent.startsWith('What all ranks'))"
                           ".querySelectorAll('.lanes li, .lane-name')].map((l) => (l.firstChild || l).textContent)")
        self.assertEqual(names, [f"rank {r}{', on the path' if r in on_path else ''}" for r in range(16)])
        self.assertNotIn("no event tells", page.value("document.querySelector('#time').textContent"))
        self.is_quiet(page)

    def test_halo_of_many_nodes(self):
        page = opened(self, "report", f"{CONFIGS}/runs/halo_torus.json", "--set", "/scenario/iterations=1")
        self.assertGreater(page.value("document.querySelectorAll('#machine g.wire').length"), 50)
        self.assertIn("critical path", page.value("document.querySelector('#time figcaption').textContent"))
        self.is_quiet(page)

    def test_of_a_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            sweep = pathlib.Path(folder) / "sweep.json"
            axis = {"name": "cable", "path": "/machine/topology/links/0/wire/flight", "values": ["10 ns", "100 ns", "1 us"]}
            sweep.write_text(json.dumps({"name": "mine", "run": {"$use": str(pathlib.Path(CONFIGS).resolve() / "runs/tca_dma_ping_pong.json"),
                                                                 "scenario": {"kind": "ping_pong", "iterations": 2, "sizes": ["8 B"]}}, "axes": [axis]}))
            subprocess.run([TSUNAGI, "sweep", "run", str(sweep), "--out", f"{folder}/results"], check=True, capture_output=True)
            page = opened(self, "report", f"{folder}/results")
        self.assertEqual(page.value("[...document.querySelectorAll('h2')].map((h) => h.textContent)"), ["What was measured"])
        self.assertIn("over cable", page.value("document.querySelector('#rows figcaption').textContent"))
        self.assertEqual(page.value("document.querySelector('#rows svg.plot').querySelectorAll('circle.point').length"), 3)
        self.is_quiet(page)

    def test_of_figures(self):
        page = opened(self, "check", "--id", "p2-theoretical-peak", "--id", "p2-pio-cpu-cpu-min-latency", "--id", "gf-bw-conv-f2g", "--configs", CONFIGS)
        self.assertEqual(page.value("[...document.querySelectorAll('h2')].map((h) => h.textContent)"), ["gpu-fpga", "peach2", "What misses", "What is not modelled"])
        self.assertEqual(page.value("[...document.querySelectorAll('td [class^=status-]')].map((s) => s.textContent)"),
                         ["misses, as listed", "passes", "passes"])
        self.assertIn("descriptors of 4 KiB", page.value("document.querySelector('#misses').textContent"))
        self.assertEqual(page.value("[...document.querySelectorAll('td a')].map((a) => document.querySelector(a.getAttribute('href')).querySelector('h3').textContent)"),
                         ["gf-bw-conv-f2g"])
        self.assertIn("REPLAY_NUM", page.value("document.querySelector('#not-modelled').textContent"))
        self.is_quiet(page)


if __name__ == "__main__":
    main()
