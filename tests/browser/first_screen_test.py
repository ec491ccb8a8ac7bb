#!/usr/bin/env python3
"""Reads the first screen of pages as a director would, in a real browser.

Usage: first_screen_test.py [--axe axe.min.js] [PAGE.html ...]

Without pages it renders the samples of tests/browser/pages with the templates of web/. tests/browser/fetch_axe.sh
leaves axe.min.js where this test looks for it.
"""
import json
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import chromium  # noqa: E402
import page_contract  # noqa: E402
import sample_pages  # noqa: E402

MOST_BYTES = 250_000
MOST_WORDS = 12
SCREENS = ((1280, 800), (400, 800))


def on(screens):
    """Runs a test on every page at each of the screens."""
    def wrap(test):
        def run(self):
            for page in self.pages:
                for width, height in screens:
                    with self.subTest(page=pathlib.Path(page).stem, width=width):
                        self.show(page, width, height)
                        test(self, page, width, height)
        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run
    return wrap


class FirstScreen(unittest.TestCase):
    pages, axe = [], None

    @classmethod
    def setUpClass(cls):
        cls.browser = chromium.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def show(self, page, width, height):
        self.browser.open(page, width)
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=False, deviceScaleFactor=1)
        self.browser.evaluate("scrollTo(0, 0)")

    def ask(self, script):
        return self.browser.evaluate(script)

    def data(self):
        return json.loads(self.ask("document.getElementById('data').textContent"))

    def bottom(self, selector):
        return self.ask(f"Math.max(...[...document.querySelectorAll({json.dumps(selector)})].map(e => e.getBoundingClientRect().bottom))")

    @on(SCREENS[:1])
    def test_data_keeps_the_contract(self, page, width, height):
        self.assertEqual(page_contract.faults_of(page_contract.data_of(page)), [])

    @on(SCREENS[:1])
    def test_is_one_small_silent_file(self, page, width, height):
        self.assertLessEqual(os.path.getsize(page), MOST_BYTES)
        self.assertEqual(self.browser.requests(), [])
        self.assertEqual(self.browser.complaints(), [])

    @on(SCREENS)
    def test_decision_is_short_and_seen_without_scrolling(self, page, width, height):
        words = self.ask("document.getElementById('decision').textContent").replace("✕", "").split()
        self.assertLessEqual(len(words), MOST_WORDS, words)
        self.assertLessEqual(self.bottom("#decision"), height)

    @on(SCREENS)
    def test_tiles_are_seen_without_scrolling(self, page, width, height):
        if self.data()["tiles"] is None:
            self.assertLessEqual(self.bottom("#limits .wall:nth-of-type(1)"), height)
            return
        self.assertEqual(self.ask("[...document.querySelectorAll('.tile .tl')].map(e => e.textContent)"),
                         ["You pay", "You save", "How sure", "It changes at"])
        self.assertLessEqual(self.bottom(".tile"), height)

    @on(SCREENS[:1])
    def test_ways_and_chart_begin_on_a_wide_screen(self, page, width, height):
        if self.data()["ways"]:
            self.assertLessEqual(self.bottom("#ways-rows tr:nth-child(-n+3)"), height)
        if self.data()["chart"]:
            self.assertLessEqual(self.bottom("#chart svg.w-only"), height)

    @on(SCREENS + ((640, 400), (760, 900), (961, 900)))
    def test_nothing_scrolls_sideways(self, page, width, height):
        self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)

    def test_a_way_keeps_its_colour(self):
        colours = {}
        for page in self.pages:
            self.show(page, *SCREENS[0])
            for kind, colour in self.ask("[...document.querySelectorAll('.dot')].map(d => [d.classList[1], getComputedStyle(d).backgroundColor])"):
                self.assertEqual(colours.setdefault(kind, colour), colour)
        self.assertGreaterEqual(len(colours), 2)
        self.assertEqual(len(set(colours.values())), len(colours))

    @on(SCREENS)
    def test_no_word_of_a_chart_covers_another_or_leaves_it(self, page, width, height):
        clashes = self.ask("""
          [...document.querySelectorAll('svg[role=img]')].filter(s => s.getBoundingClientRect().width).flatMap(svg => {
            const frame = svg.getBoundingClientRect(), words = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
            const out = words.filter(([, b]) => b.left < frame.left - 3 || b.right > frame.right + 3).map(([w]) => 'leaves: ' + w);
            for (let i = 0; i < words.length; ++i) for (let j = i + 1; j < words.length; ++j) {
              const [a, b] = [words[i][1], words[j][1]];
              const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
              if (across > 1 && down > 6) out.push(words[i][0] + ' | ' + words[j][0]);
            }
            return out;
          })""")
        self.assertEqual(clashes, [], width)

    # ---- The slider.

    def place(self):
        return json.loads(self.ask("""JSON.stringify((() => { const text = s => [...document.querySelectorAll(s)].map(e => e.textContent);
          return {decision: text('#decision')[0], pay: text('#tile-pay .v')[0], change: text('#tile-change .v')[0], names: [...document.querySelectorAll('#ways-rows th')].map(h => h.textContent.replace(h.querySelector(':scope > span:not(.term)').textContent, '')),
            order: [...document.querySelectorAll('#ways-rows tr')].map(r => r.dataset.way),
            best: (document.querySelector('#ways-rows tr.best') || {dataset: {}}).dataset.way, costs: text('#ways-rows td.n'), at: loadfactor.place()}; })())"""))

    @on(SCREENS[:1])
    def test_slider_reaches_the_flip_and_restates_the_verdict(self, page, width, height):
        chart = self.data()["chart"]
        if not chart or not chart["flip"]:
            return
        before = self.place()
        self.assertGreaterEqual(chart["flip"]["x"], float(self.ask("document.getElementById('s-x').min")))
        self.assertLessEqual(chart["flip"]["x"], float(self.ask("document.getElementById('s-x').max")))
        self.ask("document.getElementById('to-flip').click()")
        after = self.place()
        self.assertEqual(after["best"], chart["flip"]["to"])
        self.assertEqual(after["order"][0], chart["flip"]["to"])
        self.assertNotEqual(after["decision"], before["decision"])
        self.assertLessEqual(len(after["decision"].split()), MOST_WORDS, after["decision"])
        self.assertLessEqual(abs(after["at"]["x"] - chart["flip"]["x"]), 1.001 * chart["x"]["step"])
        self.assertEqual(sorted(after["names"]), sorted(n for n, i in zip(before["names"], before["order"]) if i in after["order"]))
        costs = self.ask("loadfactor.evaluate(loadfactor.place()).rows.map(r => r.cost)")
        self.assertEqual(costs, sorted(costs))
        self.ask("[...document.querySelectorAll('[data-undo]')][0].click()")
        self.assertEqual(self.place(), before)

    def test_pages_with_and_without_a_flip_are_among_them(self):
        charts = []
        for page in self.pages:
            self.show(page, *SCREENS[0])
            charts.append(self.data()["chart"])
        self.assertTrue(any(c and c["flip"] for c in charts), "no page has a flip to reach")

    @on(SCREENS[:1])
    def test_slider_follows_the_keys(self, page, width, height):
        chart = self.data()["chart"]
        if not chart:
            return
        self.ask("document.getElementById('s-x').focus()")
        for _ in range(3):
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft", code="ArrowLeft", windowsVirtualKeyCode=37)
        moved = self.place()
        self.assertAlmostEqual(chart["x"]["here"] - moved["at"]["x"], 3 * chart["x"]["step"], delta=1e-6 * chart["x"]["max"])
        self.assertIn(self.ask("document.getElementById('s-x').getAttribute('aria-valuetext')").split()[0], moved["decision"])

    @on(SCREENS[:1])
    def test_every_price_slider_moves_a_figure(self, page, width, height):
        page = self.data()
        for row in (page["sliders"] or {"rows": []})["rows"]:
            printed = self.ask("loadfactor.evaluate({x: loadfactor.data.chart.x.here}).rows.map(r => r.cost)")
            self.ask(f"(() => {{ const s = document.getElementById('s-{row['id']}'); s.value = s.max; s.dispatchEvent(new Event('input', {{bubbles: true}})); }})()")
            moved = self.ask("loadfactor.evaluate(loadfactor.place()).rows.map(r => r.cost)")
            self.assertNotEqual(sorted(moved), sorted(printed), row["id"])
            self.ask("[...document.querySelectorAll('[data-undo]')][0].click()")

    @on(SCREENS[:1])
    def test_step_table_agrees_with_the_printed_rows(self, page, width, height):
        page = self.data()
        if not page["chart"]:
            return
        printed = {r["id"]: r["cost"] for r in page["ways"]["rows"] if not r["condition"]}
        for way, cost in self.ask("loadfactor.evaluate({x: loadfactor.data.chart.x.here}).rows.map(r => [r.way.id, r.cost])"):
            self.assertAlmostEqual(cost / printed[way], 1, delta=1e-3, msg=way)

    # ---- Without scripts, on paper, for everybody.

    def test_tables_are_there_without_scripts(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            for page in self.pages:
                with self.subTest(page=pathlib.Path(page).stem):
                    self.read_without_scripts(page)
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)

    def read_without_scripts(self, page):
        self.browser.events = []
        self.browser.call("Page.navigate", url="file://" + os.path.abspath(page))
        while not any(e["method"] == "Page.loadEventFired" for e in self.browser.events):
            self.browser.events.append(self.browser._receive())
        text = self.ask("document.querySelector('main').textContent")
        data = self.data()
        wanted = [data["decision"]]
        if data["tiles"]:
            wanted += [t["value"] for t in data["tiles"]["rows"]]
            wanted += [r["cost_text"] for r in data["ways"]["rows"]] + [r["name"] for r in data["rests"]["rows"]]
        if data["chart"]:
            wanted += [r["have"] for r in data["chart"]["table"]]
        if data["limits"]:
            wanted += [r["needed_text"] for r in data["limits"]["rows"]] + [r["cost_text"] for r in data["ways_out"]["rows"]]
        for words in wanted:
            self.assertIn(words, text)
        self.assertEqual(self.ask("[...document.querySelectorAll('.script')].filter(e => !e.hidden).length"), 0)

    @on(SCREENS[:1])
    def test_prints_on_two_pages(self, page, width, height):
        self.ask("dispatchEvent(new Event('beforeprint'))")
        pdf = self.browser.pdf()
        self.assertLessEqual(pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page/") + pdf.count(b"/Type /Page "), 2)

    @on(SCREENS[:1])
    def test_every_table_has_a_csv(self, page, width, height):
        self.assertEqual(self.ask("[...document.querySelectorAll('table[data-csv]')].map(t => t.dataset.csv)"
                                  ".filter(n => !document.querySelector(`button.csv[data-name=\"${n}\"]`))"), [])

    def run_axe(self, scheme):
        if not self.axe:
            self.skipTest("axe-core is not here; tests/browser/fetch_axe.sh brings it")
        self.browser.media("", scheme)
        self.ask("for (const d of document.querySelectorAll('details')) d.open = true")
        self.ask(pathlib.Path(self.axe).read_text() + "; true")
        found = json.loads(self.ask("axe.run().then(r => JSON.stringify({passes: r.passes.length, wrong: r.violations.map(v => [v.impact, v.id, "
                                    "v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + n.failureSummary)])}))"))
        self.browser.media()
        self.assertGreater(found["passes"], 10)
        self.assertEqual(found["wrong"], [])

    @on(SCREENS)
    def test_axe_finds_nothing_in_light(self, page, width, height):
        self.run_axe("light")

    @on(SCREENS)
    def test_axe_finds_nothing_in_dark(self, page, width, height):
        self.run_axe("dark")


def main():
    words = sys.argv[1:]
    axe = os.path.join(os.environ.get("LF_AXE", HERE.parent.parent / "build" / "axe"), "axe.min.js")
    if words[:1] == ["--axe"]:
        axe, words = words[1], words[2:]
    FirstScreen.axe = axe if os.path.exists(axe) else None
    with tempfile.TemporaryDirectory() as folder:
        for sample in sorted((HERE / "pages").glob("*.json")) if not words else []:
            page = os.path.join(folder, sample.stem + ".html")
            pathlib.Path(page).write_text(sample_pages.page_text(json.loads(sample.read_text())))
            words.append(page)
        FirstScreen.pages = words
        return unittest.main(argv=sys.argv[:1], verbosity=2, exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
