#!/usr/bin/env python3
"""A live page in a real browser: its engine against the program, at positions of its sliders.

Usage: live_test.py PROGRAM FOLDER POSITIONS SCENARIO…

The program writes the page with `--live`. At positions drawn at random the page is asked what it would plan, by the
engine inside, without a network; the program is asked the same by the command that the page shows.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "browser")]
import chromium  # noqa: E402
import same_answers  # noqa: E402

MOST_PLAIN, MOST_ADDED = 500_000, 3_000_000 * 4 // 3 + 300_000  # Packed bytes as base64, and the code around them.


class Live(unittest.TestCase):
    program = folder = ""
    positions, scenarios = 0, ()

    def write(self, scenario, *more):
        path = os.path.join(self.folder, pathlib.Path(scenario).stem + ("-live" if more else "-plain") + ".html")
        done = subprocess.run([self.program, "plan", scenario, *more, "-o", path, "--draws", "256"],
                              capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return path

    def place(self, chance, data):
        """A position: some sliders moved, the others as today."""
        x = data["chart"]["x"]
        where = {"x": x["here"]}
        if data["kind"] == "serve" and chance.random() < .7:
            where["x"] = x["here"] * chance.uniform(.3, 1.9)
        for row in (data["sliders"] or {"rows": []})["rows"]:
            if chance.random() < .4 or (len(where) == 1 and where["x"] == x["here"]):
                where[row["id"]] = round(chance.uniform(row["min"], row["max"]), 3)
        return where

    def check_scenario(self, scenario, positions, browser):
        plain, live = os.path.getsize(self.write(scenario)), self.write(scenario, "--live")
        self.assertLessEqual(plain, MOST_PLAIN)
        self.assertLessEqual(os.path.getsize(live) - plain, MOST_ADDED)
        browser.open(live)
        data = json.loads(browser.evaluate("JSON.stringify(loadfactor.data)"))
        chance, shown = random.Random(11), set()
        for number in range(positions):
            where = self.place(chance, data)
            said = json.loads(browser.evaluate("""(async () => {
              const set = loadfactor.live.settingsAt(%s);
              return JSON.stringify({ set, ...(set ? await loadfactor.live.plan(set) : {}) });
            })()""" % json.dumps(where)))
            with self.subTest(scenario=scenario, number=number, where=where):
                self.assertIsNotNone(said["set"])
                self.assertNotIn("fault", said)
                words = [word for value in said["set"] for word in ("--set", value)]
                done = subprocess.run([self.program, "plan", scenario, *words, "--draws", "256", "--format", "json", "--reproducible"],
                                      capture_output=True, text=True, check=False)
                found = list(same_answers.differences(json.loads(said["answer"]), json.loads(done.stdout)))
                self.assertEqual(found[:3], [])
                shown.add(said["answer"])
        self.assertGreater(len(shown), positions // 2)
        self.assertEqual([url for url in browser.requests() if not url.startswith("blob:")], [])  # Its own thread's code.
        self.assertEqual(browser.complaints(), [])

    def test_engine_in_the_page_is_the_program(self):
        with chromium.Browser() as browser:
            for index, scenario in enumerate(self.scenarios):
                share = self.positions // len(self.scenarios) + (index < self.positions % len(self.scenarios))
                self.check_scenario(scenario, share, browser)

    def test_page_follows_a_slider_and_undo_restores_it(self):
        live = self.write(self.scenarios[0], "--live")
        with chromium.Browser() as browser:
            browser.open(live)
            printed = browser.evaluate("document.getElementById('decision').textContent")
            rest = browser.evaluate("document.getElementById('rests').innerHTML")
            said = browser.evaluate("""(async () => {
              const input = document.getElementById('s-x'), said = document.getElementById('live-said');
              input.value = loadfactor.data.chart.x.here * .5;
              input.dispatchEvent(new Event('input', { bubbles: true }));
              while (!/^(Exact|Not|Quick)/.test(said.textContent)) await new Promise(done => setTimeout(done, 50));
              return said.textContent;
            })()""")
            self.assertTrue(said.startswith("Exact"), said)
            self.assertIn("requests_per_month", browser.evaluate("document.getElementById('live-command').textContent"))
            self.assertNotIn("quick", browser.evaluate("document.getElementById('lead').textContent"))
            browser.evaluate("document.querySelector('#chart-slider [data-undo]').click()")
            browser.evaluate("new Promise(done => setTimeout(done, 600))")
            self.assertEqual(browser.evaluate("document.getElementById('decision').textContent"), printed)
            self.assertEqual(browser.evaluate("document.getElementById('rests').innerHTML"), rest)
            self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    Live.program, Live.folder, Live.positions = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
    Live.scenarios = sys.argv[4:]
    os.makedirs(Live.folder, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
