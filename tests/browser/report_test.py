#!/usr/bin/env python3
"""Opens the page of a plan in a real browser and holds it against the program.

Usage: report_test.py PROGRAM SCENARIO FOLDER [POSITIONS]
"""
import concurrent.futures
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chromium  # noqa: E402

MOST_BYTES = 500_000
TOLERANCE = 1e-3


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
    return done.stdout


def pixels(png):
    """Rows of RGB(A) bytes of an eight-bit PNG without interlace."""
    at, data, width, height, channels = 8, b"", 0, 0, 0
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[colour]
        if kind == b"IDAT":
            data += body
        at += 12 + length
    return zlib.decompress(data), width * channels + 1, height


def distinct_rows(png):
    raw, stride, height = pixels(png)
    return len({raw[i * stride:(i + 1) * stride] for i in range(height)})


class Report(unittest.TestCase):
    program = scenario = folder = None
    positions = 0

    @classmethod
    def setUpClass(cls):
        name = pathlib.Path(cls.scenario).stem
        cls.page = os.path.join(cls.folder, name + ".html")
        cls.answer = json.loads(run(cls.program, "plan", cls.scenario, "-o", cls.page,
                                    "--format", "json", "--quiet"))["answer"]
        cls.browser = chromium.Browser()
        cls.browser.open(cls.page)
        cls.data = cls.browser.evaluate("JSON.stringify(loadfactor.data)")
        cls.data = json.loads(cls.data)
        cls.name = name

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def words_of(self, selector):
        """As it is read: a blank that keeps a number and its sign on one line is a blank."""
        text = self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")
        return text.replace("\u00a0", " ")

    def test_is_one_small_file_that_asks_for_nothing_else(self):
        self.assertLessEqual(os.path.getsize(self.page), MOST_BYTES)
        self.assertEqual(self.browser.requests(), [])

    def test_console_is_silent(self):
        self.assertEqual(self.browser.complaints(), [])

    def test_says_what_the_program_says(self):
        self.assertEqual(self.words_of("#verdict"), self.answer["verdict"])
        for key in ("load_factor", "break_even"):
            if self.answer[key] is None:
                continue
            shown = f"{100 * self.answer[key]['value']:.1f} %"
            self.assertIn(shown, self.words_of("#gauges"))
        rows = self.browser.evaluate(
            "[...document.querySelectorAll('#options tbody tr')].map(r => "
            "[...r.children].map(c => c.textContent))")
        self.assertEqual(len(rows), len(self.answer["options"]))
        for row, option in zip(rows, self.answer["options"]):
            self.assertEqual(row[0], option["name"])
            shown = row[4].replace("$", "").replace(",", "").replace("−", "-")
            scale = {"K": 1e3, "M": 1e6, "B": 1e9}
            number = float(shown.split()[0]) * scale.get(shown.split()[-1], 1)
            self.assertAlmostEqual(number / option["cost"]["value"], 1, delta=0.02)

    def test_shows_every_chart_it_has_numbers_for(self):
        wanted = {"gauges", "volume", "losses", "curve", "layout", "pipeline", "memory", "pareto",
                  "tornado", "cash", "options", "live", "levers", "runners", "assumptions",
                  "accuracy", "reproduce"}
        if self.answer["work"] == "serve":
            wanted.add("week")
        if not self.answer["runners"]:
            wanted.discard("runners")
        shown = set(self.browser.evaluate("[...document.querySelectorAll('section')].map(s => s.id)"))
        self.assertEqual(wanted - shown, set())
        empty = self.browser.evaluate(
            "[...document.querySelectorAll('section svg')].filter(s => "
            "!s.querySelector('rect,polyline,path,circle') || s.getBoundingClientRect().height < 4)"
            ".map(s => s.getAttribute('aria-label'))")
        self.assertEqual(empty, [])

    def test_no_word_leaves_its_picture_or_covers_another(self):
        clashes = self.browser.evaluate("""
          [...document.querySelectorAll('section svg')].flatMap(svg => {
            const frame = svg.getBoundingClientRect();
            const words = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
            const out = words.filter(([, b]) => b.left < frame.left - 2 || b.right > frame.right + 2 ||
              b.bottom > frame.bottom + 2 || b.top < frame.top - 2).map(([w]) => 'leaves: ' + w);
            for (let i = 0; i < words.length; ++i) for (let j = i + 1; j < words.length; ++j) {
              const [a, b] = [words[i][1], words[j][1]];
              const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
              const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
              if (across > 1 && down > 5) out.push(svg.closest('section').id + ': ' + words[i][0] + ' | ' + words[j][0]);
            }
            return out;
          })""")
        self.assertEqual(clashes, [])

    def test_is_drawn_in_light_dark_and_print(self):
        backgrounds = set()
        for name, media, scheme in (("light", "", "light"), ("dark", "", "dark"),
                                    ("print", "print", "dark")):
            self.browser.media(media, scheme)
            png = self.browser.screenshot(os.path.join(self.folder, f"{self.name}-{name}.png"))
            self.assertGreater(distinct_rows(png), 300, name)
            backgrounds.add((name, self.browser.evaluate("getComputedStyle(document.body).backgroundColor")))
        self.browser.media()
        self.assertEqual(dict(backgrounds)["light"], dict(backgrounds)["print"])
        self.assertNotEqual(dict(backgrounds)["light"], dict(backgrounds)["dark"])

    def test_prints_on_a4(self):
        pdf = self.browser.pdf()
        with open(os.path.join(self.folder, self.name + ".pdf"), "wb") as file:
            file.write(pdf)
        self.assertTrue(pdf.startswith(b"%PDF"))
        boxes = {line for line in pdf.split(b"\n") if b"/MediaBox" in line}
        self.assertTrue(boxes)
        for line in boxes:
            sides = line.split(b"/MediaBox")[1].split(b"[")[1].split(b"]")[0].split()
            self.assertAlmostEqual(float(sides[2]), 595, delta=2)
            self.assertAlmostEqual(float(sides[3]), 842, delta=2)

    def place_sliders(self, chance):
        """Moves the sliders as a hand would and reads what the page then says."""
        return self.browser.evaluate("""
          (() => {
            const values = %s, seen = [];
            for (const id of ['traffic', 'full', 'rent', 'api']) {
              const slider = document.getElementById('s-' + id);
              if (!slider) { seen.push(1); continue; }
              slider.value = +slider.min + values[seen.length] * (slider.max - slider.min);
              slider.dispatchEvent(new Event('input', {bubbles: true}));
              seen.push(+slider.value);
            }
            const at = loadfactor.position(...seen);
            return JSON.stringify({at, rows: loadfactor.live(at), command: loadfactor.command(at),
              shown: [...document.querySelectorAll('#live-table tbody tr')].map(r => r.children[1].textContent),
              line: document.getElementById('live-command').textContent});
          })()""" % json.dumps([chance.random() for _ in range(4)]))

    def check_position(self, place):
        words = ["cost", self.scenario, "--format", "json", "--quiet", "--draws", "64"]
        for value in place["command"]["set"]:
            words += ["--set", value]
        answer = json.loads(run(self.program, *words))["answer"]
        options = {o["kind"]: o for o in answer["options"]}
        for row in place["rows"]:
            theirs = options[row["kind"]]
            for key in ("per_month", "per_mtoken", "break_even", "per_run"):
                ours, said = row[key], theirs.get(key)
                if ours is None:
                    continue
                if said is None:
                    return f"{place['at']} {row['kind']}: the program has no {key}"
                said = said["value"] if isinstance(said, dict) else said
                if abs(ours / said - 1) > TOLERANCE:
                    return f"{place['at']} {row['kind']} {key}: page {ours}, program {said}"
        return None

    def test_sliders_agree_with_the_program(self):
        if self.positions == 0:
            self.skipTest("no positions were asked for")
        chance = random.Random(7)
        places = [json.loads(self.place_sliders(chance)) for _ in range(self.positions)]
        self.assertGreater(len({tuple(p["shown"]) for p in places}), self.positions // 2)
        for place in places:
            self.assertTrue(place["line"].startswith("loadfactor cost "))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [w for w in pool.map(self.check_position, places) if w]
        self.assertEqual(wrong, [])
        compared = sum(1 for p in places for r in p["rows"] for k in ("per_month", "per_mtoken",
                                                                      "break_even") if r[k] is not None)
        self.assertGreaterEqual(compared, 4 * self.positions)


if __name__ == "__main__":
    Report.program, Report.scenario, Report.folder = sys.argv[1:4]
    Report.positions = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    os.makedirs(Report.folder, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
