#!/usr/bin/env python3
"""Reads the page of one plan in a real browser: its first screen as a director would, and its sliders against the program.

Usage: report_test.py PROGRAM SCENARIO FOLDER [POSITIONS]
       report_test.py PROGRAM cost:SCENARIO FOLDER
       report_test.py PROGRAM diff:SCENARIO:CHANGE FOLDER     CHANGE: what is set in the second plan

The program writes the page. Every position of the sliders asks the program once for each chip. tests/browser/fetch_axe.sh
leaves axe.min.js where this test looks for it.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import chromium  # noqa: E402
import page_contract  # noqa: E402

MOST_BYTES = 250_000
MOST_WORDS = 12
SCREENS = ((1280, 800), (400, 800))
TOLERANCE = 1e-6
# Whom one pays has one colour, on every page: design of the page, light theme.
COLOURS = {"own": "rgb(26, 74, 156)", "res": "rgb(34, 144, 220)", "dem": "rgb(15, 121, 100)", "spot": "rgb(185, 129, 0)",
           "api": "rgb(181, 77, 14)"}


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode not in (0, 3):  # 3: the plan is not feasible.
        raise AssertionError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def on(screens):
    """Runs a test at each of the screens."""
    def wrap(test):
        def run_all(self):
            for width, height in screens:
                with self.subTest(width=width):
                    self.show(width, height)
                    test(self, width, height)
        run_all.__name__, run_all.__doc__ = test.__name__, test.__doc__
        return run_all
    return wrap


class Page(unittest.TestCase):
    program = scenario = folder = axe = None
    verb, change = "plan", ""
    positions = 0

    @classmethod
    def setUpClass(cls):
        cls.name = pathlib.Path(cls.scenario).stem + ("" if cls.verb == "plan" else "-" + cls.verb)
        cls.path = os.path.join(cls.folder, cls.name + ".html")
        change = ["--set", cls.change] if cls.change else []
        cls.answer = json.loads(run(cls.program, cls.verb, cls.scenario, *change, "-o", cls.path, "--format", "json", "--quiet"))["answer"]
        cls.data = page_contract.data_of(cls.path)
        cls.browser = chromium.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def show(self, width, height):
        self.browser.open(self.path, width)
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=False, deviceScaleFactor=1)
        self.browser.evaluate("scrollTo(0, 0)")

    def ask(self, script):
        return self.browser.evaluate(script)

    def bottom(self, selector):
        return self.ask(f"Math.max(...[...document.querySelectorAll({json.dumps(selector)})].map(e => e.getBoundingClientRect().bottom))")

    # ---- The first screen.

    def test_data_keeps_the_contract(self):
        self.assertEqual(page_contract.faults_of(self.data), [])

    @on(SCREENS[:1])
    def test_is_one_small_silent_file(self, width, height):
        self.assertLessEqual(os.path.getsize(self.path), MOST_BYTES)
        self.assertEqual(self.browser.requests(), [])
        self.assertEqual(self.browser.complaints(), [])

    def test_says_what_the_program_says(self):
        if self.verb == "diff":
            return self.says_what_the_comparison_says()
        if self.verb == "cost":
            return self.says_what_the_costs_are()
        self.assertEqual(self.data["kind"] == "infeasible", self.answer["decision"] == "not feasible")
        if not self.data["ways"]:
            return
        rows = self.data["ways"]["rows"]
        self.assertAlmostEqual(rows[0]["cost"] / self.answer["options"][0]["cost"]["value"], 1, delta=1e-9)
        known = {(o["kind"], round(o["cost"]["value"], 2)) for o in self.answer["options"]}
        for row in rows:
            self.assertIn((row["id"], round(row["cost"], 2)), known)

    def says_what_the_costs_are(self):
        said = [(o["kind"], round((o.get("per_run") or o["per_month"])["value"], 2)) for o in self.answer["options"]]
        self.assertEqual([(r["id"], round(r["cost"], 2)) for r in self.data["ways"]["rows"]], said)

    def says_what_the_comparison_says(self):
        figures = {f["key"]: f for f in self.answer["figures"]}
        change = figures["cost"]["after"]["value"] - figures["cost"]["before"]["value"]
        self.assertIn(f"{abs(change):,.0f}"[:3], self.data["decision"])
        self.assertIn("more" if change > 0 else "less", self.data["decision"])
        self.assertEqual(len(self.data["sides"]["tables"][1]["table"]["rows"]), len(self.answer["inputs"]))

    @on(SCREENS)
    def test_decision_is_short_and_seen_without_scrolling(self, width, height):
        words = self.ask("document.getElementById('decision').textContent").replace("✕", "").split()
        self.assertLessEqual(len(words), MOST_WORDS, words)
        self.assertLessEqual(self.bottom("#decision"), height)

    @on(SCREENS)
    def test_tiles_are_seen_without_scrolling(self, width, height):
        if self.data["tiles"] is None:
            self.assertLessEqual(self.bottom("#limits .wall:nth-of-type(1)"), height)
            return
        self.assertEqual(self.ask("[...document.querySelectorAll('.tile .tl')].map(e => e.textContent)"),
                         ["First plan", "Second plan", "Difference", "Decision"] if self.verb == "diff" else
                         ["You pay", "You save", "How sure", "It changes at"])
        self.assertLessEqual(self.bottom(".tile"), height)

    @on(SCREENS[:1])
    def test_ways_and_chart_begin_on_a_wide_screen(self, width, height):
        if self.data["ways"]:
            self.assertLessEqual(self.bottom("#ways-rows tr:nth-child(-n+3)"), height)
        if self.data["chart"]:
            self.assertLessEqual(self.bottom("#chart svg.w-only"), height)

    @on(SCREENS + ((640, 400), (760, 900), (961, 900)))
    def test_nothing_scrolls_sideways(self, width, height):
        self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)

    @on(SCREENS[:1])
    def test_a_way_has_its_colour(self, width, height):
        for kind, colour in self.ask("[...document.querySelectorAll('.dot')].map(d => [d.classList[1], getComputedStyle(d).backgroundColor])"):
            self.assertEqual(colour, COLOURS[kind])

    @on(SCREENS)
    def test_no_word_of_a_chart_covers_another_or_leaves_it(self, width, height):
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

    # ---- The sliders.

    def place(self):
        return json.loads(self.ask("""JSON.stringify((() => { const text = s => [...document.querySelectorAll(s)].map(e => e.textContent);
          return {decision: text('#decision')[0], pay: text('#tile-pay .v')[0], change: text('#tile-change .v')[0],
            order: [...document.querySelectorAll('#ways-rows tr')].map(r => r.dataset.way),
            best: (document.querySelector('#ways-rows tr.best') || {dataset: {}}).dataset.way, costs: text('#ways-rows td.n'), at: loadfactor.place()}; })())"""))

    @on(SCREENS[:1])
    def test_slider_reaches_the_flip_and_restates_the_verdict(self, width, height):
        chart = self.data["chart"]
        if not chart or not chart["flip"]:
            self.skipTest("no flip")
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
        costs = self.ask("loadfactor.evaluate(loadfactor.place()).rows.map(r => r.cost)")
        self.assertEqual(costs, sorted(costs))
        self.ask("[...document.querySelectorAll('[data-undo]')][0].click()")
        self.assertEqual(self.place(), before)

    @on(SCREENS[:1])
    def test_slider_follows_the_keys(self, width, height):
        chart = self.data["chart"]
        if not chart:
            self.skipTest("no chart")
        key, code, side = ("ArrowRight", 39, 1) if chart["x"]["here"] < 5 * chart["x"]["step"] else ("ArrowLeft", 37, -1)
        self.ask("document.getElementById('s-x').focus()")
        for _ in range(3):
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code)
        moved = self.place()
        self.assertAlmostEqual(moved["at"]["x"] - chart["x"]["here"], 3 * side * chart["x"]["step"], delta=1e-6 * chart["x"]["max"])
        self.assertIn(self.ask("document.getElementById('s-x').getAttribute('aria-valuetext')").split()[0], moved["decision"])

    @on(SCREENS[:1])
    def test_every_price_slider_moves_a_figure(self, width, height):
        for row in (self.data["sliders"] or {"rows": []})["rows"]:
            printed = self.ask("loadfactor.evaluate({x: loadfactor.data.chart.x.here}).rows.map(r => r.cost)")
            self.ask(f"(() => {{ const s = document.getElementById('s-{row['id']}'); s.value = s.max; s.dispatchEvent(new Event('input', {{bubbles: true}})); }})()")
            moved = self.ask("loadfactor.evaluate(loadfactor.place()).rows.map(r => r.cost)")
            self.assertNotEqual(sorted(moved), sorted(printed), row["id"])
            self.ask("[...document.querySelectorAll('[data-undo]')][0].click()")

    def put_sliders(self, chance):
        """Moves every slider as a hand would, and reads what the page then says and what it would ask the program."""
        ids = ["x"] + [row["id"] for row in (self.data["sliders"] or {"rows": []})["rows"]]
        values = {key: chance.random() for key in ids if key == "x" or chance.random() < 0.5}
        return json.loads(self.ask("""(() => {
            [...document.querySelectorAll('[data-undo]')][0].click();
            for (const [id, share] of Object.entries(%s)) {
              const slider = document.getElementById('s-' + id);
              slider.value = +slider.min + share * (slider.max - slider.min);
              slider.dispatchEvent(new Event('input', {bubbles: true}));
            }
            const at = loadfactor.place(), plan = loadfactor.evaluate(at);
            return JSON.stringify({at, shown: document.getElementById('tile-pay').textContent, order: plan.rows.map(r => r.way.id),
              rows: plan.rows.map(r => ({id: r.way.id, cost: r.cost, command: loadfactor.commandOf(r.way, at)}))});
          })()""" % json.dumps(values)))

    def check_place(self, place):
        """What the program says otherwise than the page, and how many figures agree."""
        wrong, agree, asked = [], 0, {}
        is_run = self.data["kind"] == "train"
        for row in place["rows"]:
            # The page counts a term that outlasts the run, and interruptions that the run's time counts; `cost` does not.
            if not row["command"] or (is_run and row["id"] not in ("own", "on-demand")):
                continue
            words = tuple(w for value in row["command"]["set"] for w in ("--set", value))
            if words not in asked:
                answer = json.loads(run(self.program, "cost", self.scenario, "--format", "json", "--quiet", "--draws", "64", *words))["answer"]
                asked[words] = {o["kind"]: o for o in answer["options"]}
            said = asked[words][row["id"]]["per_run" if is_run else "per_month"]
            said = said["value"] if isinstance(said, dict) else said
            if abs(row["cost"] / said - 1) > TOLERANCE:
                wrong.append(f"{place['at']} {row['id']}: page {row['cost']}, program {said}: {' '.join(words)}")
            agree += 1
        return wrong, agree

    @on(SCREENS[:1])
    def test_sliders_agree_with_the_program(self, width, height):
        if self.positions == 0 or not self.data["chart"]:
            self.skipTest("no positions were asked for")
        chance = random.Random(7)
        places = [self.put_sliders(chance) for _ in range(self.positions)]
        self.assertGreater(len({p["shown"] for p in places}), self.positions // 2)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(self.check_place, places))
        self.assertEqual([w for wrong, _ in found for w in wrong], [])
        self.assertGreaterEqual(sum(agree for _, agree in found), 2 * self.positions)

    # ---- Without scripts, on paper, for everybody.

    def test_tables_are_there_without_scripts(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.events = []
            self.browser.call("Page.navigate", url="file://" + os.path.abspath(self.path))
            while not any(e["method"] == "Page.loadEventFired" for e in self.browser.events):
                self.browser.events.append(self.browser._receive())
            text = self.ask("document.querySelector('main').textContent")
            hidden = self.ask("[...document.querySelectorAll('.script')].filter(e => !e.hidden).length")
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        data = self.data
        wanted = [data["decision"]]
        if data["tiles"]:
            wanted += [t["value"] for t in data["tiles"]["rows"]]
        if data["ways"]:
            wanted += [r["cost_text"] for r in data["ways"]["rows"]] + [r["name"] for r in data["rests"]["rows"]]
        if data["sides"]:
            wanted += [c["words"] for t in data["sides"]["tables"] for r in t["table"]["rows"] for c in r["cells"]]
        if data["chart"]:
            wanted += [r["have"] for r in data["chart"]["table"]]
        if data["limits"]:
            wanted += [r["why"] for r in data["limits"]["rows"]] + [r["name"] for r in data["ways_out"]["rows"]]
        for words in wanted:
            self.assertIn(words, text)
        self.assertEqual(hidden, 0)

    @on(SCREENS[:1])
    def test_prints_on_two_sheets_of_a4(self, width, height):
        self.ask("dispatchEvent(new Event('beforeprint'))")
        pdf = self.browser.pdf()
        pathlib.Path(self.folder, self.name + ".pdf").write_bytes(pdf)
        self.assertLessEqual(pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page/") + pdf.count(b"/Type /Page "), 2)
        for line in (line for line in pdf.split(b"\n") if b"/MediaBox" in line):
            sides = line.split(b"/MediaBox")[1].split(b"[")[1].split(b"]")[0].split()
            self.assertAlmostEqual(float(sides[2]), 595, delta=2)
            self.assertAlmostEqual(float(sides[3]), 842, delta=2)

    def test_is_drawn_in_light_dark_phone_and_print(self):
        grounds = {}
        for name, media, scheme, width in (("light", "", "light", 1280), ("dark", "", "dark", 1280), ("phone", "", "light", 400), ("print", "print", "dark", 760)):
            self.browser.media(media, scheme)
            self.show(width, 800)
            self.browser.screenshot(os.path.join(self.folder, f"{self.name}-{name}.png"))
            grounds[name] = self.ask("getComputedStyle(document.body).backgroundColor")
        self.browser.media()
        self.assertEqual(grounds["light"], grounds["print"])
        self.assertNotEqual(grounds["light"], grounds["dark"])

    @on(SCREENS[:1])
    def test_every_table_has_a_csv(self, width, height):
        self.assertEqual(self.ask("[...document.querySelectorAll('table[data-csv]')].map(t => t.dataset.csv)"
                                  ".filter(n => !document.querySelector(`button.csv[data-name=\"${n}\"]`))"), [])
        self.assertGreaterEqual(self.ask("document.querySelectorAll('button.csv').length"), 2)

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
    def test_axe_finds_nothing_in_light(self, width, height):
        self.run_axe("light")

    @on(SCREENS)
    def test_axe_finds_nothing_in_dark(self, width, height):
        self.run_axe("dark")


if __name__ == "__main__":
    Page.program, Page.scenario, Page.folder = sys.argv[1:4]
    for verb in ("cost", "diff"):
        if Page.scenario.startswith(verb + ":"):
            Page.verb, Page.scenario, Page.change = verb, *(Page.scenario.split(":", 2)[1:] + [""])[:2]
    Page.positions = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    axe = os.path.join(os.environ.get("LF_AXE", HERE.parent.parent / "build" / "axe"), "axe.min.js")
    Page.axe = axe if os.path.exists(axe) else None
    os.makedirs(Page.folder, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
