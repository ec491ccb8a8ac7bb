#!/usr/bin/env python3
"""Reads the page of a sweep in a real browser: it fits every screen, speaks to no server, can be used by the keyboard and
says what the results say.

Usage: sweep_test.py PROGRAM FOLDER
"""
import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import chromium  # noqa: E402

SWEEP = """sweep: 1
name: page
verb: fit
axes:
  - {key: --model, values: [llama-3.1-8b, llama-3.3-70b]}
  - {key: --gpu, values: [h100-sxm, h200-sxm, l40s, no-such-chip]}
  - {key: --context, from: 1000, to: 100000, steps: 6, scale: log, whole: true}
keep: {figures: {gpus: layout.gpus, weights: weights_per_gpu, tokens: kv_tokens}}
report: {most: tokens, pareto: [-tokens, gpus], phase: {x: context, y: gpu, shows: gpus}}
"""
MOST_BYTES = 250_000
SCREENS = ((1280, 800), (760, 900), (400, 800))


class SweepPage(unittest.TestCase):
    program = folder = axe = None

    @classmethod
    def setUpClass(cls):
        at = lambda name: os.path.join(cls.folder, name)
        cls.results, cls.path = at("sweep-page.sqlite"), at("sweep-page.html")
        for path in (cls.results, cls.path):
            pathlib.Path(path).unlink(missing_ok=True)
        pathlib.Path(at("sweep-page.yaml")).write_text(SWEEP, encoding="utf-8")
        for words in (["sweep", at("sweep-page.yaml"), "-o", cls.results], ["sweep", "report", cls.results, "-o", cls.path]):
            subprocess.run([cls.program, *words, "--quiet"], check=True, capture_output=True)
        cls.text = subprocess.run([cls.program, "sweep", "report", cls.results], check=True, capture_output=True, text=True).stdout
        with contextlib.closing(sqlite3.connect(cls.results)) as database:
            cls.rows = database.execute("select * from cases order by 1").fetchall()
        cls.browser = chromium.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def show(self, width, height, scheme="light"):
        self.browser.media("", scheme)
        self.browser.open(self.path, width)
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=False, deviceScaleFactor=1)

    def test_is_one_small_silent_file_without_a_script(self):
        self.show(*SCREENS[0])
        self.assertLessEqual(os.path.getsize(self.path), MOST_BYTES)
        self.assertNotIn("<script", pathlib.Path(self.path).read_text())
        self.assertEqual(self.browser.requests(), [])
        self.assertEqual(self.browser.complaints(), [])

    def test_nothing_scrolls_sideways(self):
        for width, height in SCREENS:
            with self.subTest(width=width):
                self.show(width, height)
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)

    def test_maps_and_tables_hold_the_results(self):
        self.show(*SCREENS[0])
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#phase table.map').length"), 2, "one map for each model")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#phase table.map td').length"), len(self.rows))
        failed = sum(row[-6] == "error" for row in self.rows)
        shown = self.browser.evaluate("[...document.querySelectorAll('#failures tbody td.n:first-child')].map(e => +e.textContent).reduce((a, b) => a + b, 0)")
        self.assertGreaterEqual(shown, failed)
        self.assertGreater(failed, 0)
        self.assertIn("no-such-chip", self.browser.evaluate("document.getElementById('failures').textContent"))
        # The terminal says the same first sentence.
        heading = self.browser.evaluate("document.querySelector('h1').textContent")
        self.assertTrue(heading)
        told = " ".join(self.text.split())  # A terminal has it in several lines.
        self.assertEqual(heading, told[:len(heading)])

    def test_every_region_and_choice_is_reached_by_tab(self):
        self.show(*SCREENS[0])
        wanted = self.browser.evaluate("document.querySelectorAll('.scroll').length")
        seen = set()
        for _ in range(60):
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
            self.browser.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
            seen.add(self.browser.evaluate("(e => e.getAttribute('aria-label') || e.id)(document.activeElement)"))
        self.assertGreaterEqual(len([name for name in seen if name]), wanted)
        picks = self.browser.evaluate("document.querySelectorAll('fieldset.picks input').length")
        if picks:
            self.browser.evaluate("document.getElementById('pick0').focus()")
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", windowsVirtualKeyCode=32, text=" ")
            self.browser.call("Input.dispatchKeyEvent", type="keyUp", key=" ", code="Space", windowsVirtualKeyCode=32)
            self.assertEqual(self.browser.evaluate("getComputedStyle(document.querySelector('.p0')).strokeWidth"), "4px")

    def test_is_drawn_in_light_dark_and_on_a_phone(self):
        grounds = {}
        for name, scheme, (width, height) in (("light", "light", SCREENS[0]), ("dark", "dark", SCREENS[0]), ("phone", "light", SCREENS[2])):
            self.show(width, height, scheme)
            self.browser.screenshot(os.path.join(self.folder, f"sweep-page-{name}.png"))
            grounds[name] = self.browser.evaluate("getComputedStyle(document.body).backgroundColor")
        self.browser.media()
        self.assertNotEqual(grounds["light"], grounds["dark"])

    def test_axe_finds_nothing(self):
        if not self.axe:
            self.skipTest("axe-core is not here; tests/browser/fetch_axe.sh brings it")
        for scheme in ("light", "dark"):
            for width, height in (SCREENS[0], SCREENS[2]):
                with self.subTest(scheme=scheme, width=width):
                    self.show(width, height, scheme)
                    self.browser.evaluate(pathlib.Path(self.axe).read_text() + "; true")
                    found = json.loads(self.browser.evaluate(
                        "axe.run().then(r => JSON.stringify({passes: r.passes.length, wrong: r.violations.map(v => [v.impact, v.id, "
                        "v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + n.failureSummary)])}))"))
                    self.assertGreater(found["passes"], 10)
                    self.assertEqual(found["wrong"], [])
        self.browser.media()


if __name__ == "__main__":
    SweepPage.program, SweepPage.folder = sys.argv[1:3]
    axe = os.path.join(os.environ.get("LF_AXE", HERE.parent.parent / "build" / "axe"), "axe.min.js")
    SweepPage.axe = axe if os.path.exists(axe) else None
    os.makedirs(SweepPage.folder, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
