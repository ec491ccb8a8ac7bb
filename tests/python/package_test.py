#!/usr/bin/env python3
"""The package as its users meet it. Usage: package_test.py PACKAGE_FOLDER PROGRAM [TEST …]"""
import decimal
import fractions
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, sys.argv[1])
PROGRAM = os.path.abspath(sys.argv[2])
os.chdir(ROOT)
import loadfactor as lf  # noqa: E402

SERVE = "tests/observe/chat.yaml"
SMALL = {
    "loadfactor": 1,
    "name": "small",
    "capacity": {"gpus": 1, "rate": "12000 tokens/s/GPU", "load_factor": "60 %"},
    "hardware": ["h100-sxm"],
    "money": {"options": ["own", "api"], "own": {"all_in": "1.69 USD/GPU-hour", "discount": "13 %"},
              "api": {"price": "0.0788 USD/M tokens", "as_of": "2026-08-08"},
              "horizon": "3 years"},
}


def printed(*words, text=None):
    done = subprocess.run([PROGRAM, *words, "--format", "json", "--reproducible"], input=text,
                          capture_output=True, text=True, check=False)
    return done.stdout


class Answers(unittest.TestCase):
    def test_a_path_gives_the_bytes_of_the_program(self):
        self.assertEqual(lf.serve(SERVE).to_json(), printed("serve", SERVE))

    def test_a_text_gives_what_the_program_says_of_standard_input(self):
        text = pathlib.Path(SERVE).read_text()
        self.assertEqual(lf.serve(text).to_json(), printed("serve", "-", text=text))

    def test_a_dict_is_a_scenario(self):
        text = json.dumps(SMALL)
        figures = [[(o.name, o.per_month.value, o.break_even and o.break_even.value)
                    for o in lf.cost(given).options] for given in (SMALL, text)]
        self.assertEqual(*figures)
        self.assertEqual(lf.cost(text).to_json(), printed("cost", "-", text=text))

    def test_set_replaces_values(self):
        changed = lf.serve(SERVE, set={"serve.demand.requests_per_second": 2})
        by_text = printed("serve", SERVE, "--set", "serve.demand.requests_per_second=2")
        self.assertEqual(changed.to_json(), by_text)
        self.assertNotEqual(changed.to_json(), lf.serve(SERVE).to_json())

    def test_a_text_that_is_set_stays_a_text(self):
        for name in ("a: b # c", "a=b", "half: done", "x #1", "Müller's 🎉"):
            given = lf.cost(SMALL, set={"name": name}).to_dict()
            self.assertEqual(given["scenario"]["name"], name)
        self.assertEqual(lf.cost(SMALL, set={"hardware": "[h200-sxm]"}).to_json(),
                         lf.cost(SMALL, set={"hardware": ["h200-sxm"]}).to_json())

    def test_numbers_of_every_type_are_numbers(self):
        plain = lf.cost(SMALL, set={"capacity.gpus": 2}).to_json()
        for two in (2.0, decimal.Decimal(2), fractions.Fraction(4, 2), lf.Quantity(2)):
            self.assertEqual(lf.cost(SMALL, set={"capacity.gpus": two}).to_json(), plain)
        with self.assertRaisesRegex(TypeError, "'context' is no dict"):
            lf.fit("llama-3.1-8b", gpu="h100-sxm", context={"a": 1})

    def test_options_are_those_of_the_command_line(self):
        ours = lf.serve(SERVE, batches=[1, 8], quiet=True)
        self.assertEqual(ours.to_json(), printed("serve", SERVE, "--batches", "1,8", "--quiet"))
        self.assertEqual(lf.fit("llama-3.1-8b", gpu="h100-sxm", max_seqs=64).to_json(),
                         printed("fit", "llama-3.1-8b", "--gpu", "h100-sxm", "--max-seqs", "64"))

    def test_words_stand_one_after_another(self):
        self.assertEqual(lf.catalog("gpus", "h100").to_json(), printed("catalog", "gpus", "h100"))
        self.assertIn("LF502", str(lf.explain("LF502")))

    def test_attributes_are_the_fields(self):
        answer = lf.fit("llama-3.1-8b", gpu="h100-sxm")
        self.assertIsInstance(answer, lf.answers.FitAnswer)
        self.assertEqual(answer.parameters.total, 8030261248)
        self.assertEqual(answer["parameters"]["total"], answer.parameters.total)
        self.assertEqual(answer.weights.unit, "B")
        self.assertEqual(answer.to_dict()["answer"]["weights"], answer.weights.to_dict())
        with self.assertRaisesRegex(AttributeError, "no field 'weigths'"):
            answer.weigths  # noqa: B018
        with self.assertRaises(AttributeError):
            answer.parameters.total = 1

    def test_every_field_of_an_answer_is_described(self):
        def walk(data, made):
            for key, value in data.items():
                got = made[key]
                if isinstance(value, dict) and isinstance(got, lf.Record):
                    walk(value, got)
                elif isinstance(value, list) and value and isinstance(value[0], dict):
                    for one, other in zip(value, got):
                        if isinstance(other, lf.Record):
                            walk(one, other)
                elif isinstance(value, (int, float, str)):
                    self.assertEqual(got, value)
        for answer in (lf.serve(SERVE), lf.cost(SMALL), lf.fit("mixtral-8x7b", gpu="h200-sxm")):
            walk(answer.to_dict()["answer"], answer)

    def test_other_forms(self):
        answer = lf.serve(SERVE)
        self.assertEqual(answer.to_text("json"), answer.to_json())
        self.assertIn("|", answer.to_text("md"))
        with self.assertRaises(lf.Error):
            answer.to_text("focus")
        with self.assertRaises(ValueError):
            answer.to_text("docx")

    def test_outcome_is_told(self):
        self.assertEqual(lf.fit("llama-3.1-405b", gpu="l40s", tp=1).exit_status, 3)


class Problems(unittest.TestCase):
    def test_the_place_is_known(self):
        with self.assertRaises(lf.InputError) as caught:
            lf.cost("loadfactor: 1\nname: x\nmony: {}\n")
        error = next(e for e in caught.exception.errors if "mony" in e.message)
        self.assertEqual((error.file, error.line, error.column, error.length), ("-", 3, 1, 4))
        self.assertRegex(error.code, r"^LF5\d\d$")
        self.assertIn("money", error.hint)
        self.assertIn("mony", str(caught.exception))

    def test_all_errors_come_at_once(self):
        with self.assertRaises(lf.Error) as caught:
            lf.serve("loadfactor: 1\nserve:\n  modle: a\n  enigne: b\n")
        self.assertGreaterEqual(len(caught.exception.errors), 2)
        lines = {e.line for e in caught.exception.errors}
        self.assertTrue({3, 4} <= lines, lines)

    def test_what_is_not_there(self):
        with self.assertRaises(lf.Unavailable) as caught:
            lf.plan("nowhere.yaml")
        self.assertEqual((caught.exception.code, caught.exception.exit_status), ("LF601", 4))
        with self.assertRaises(TypeError):
            lf.plan()
        with self.assertRaises(TypeError):
            lf.plan(SERVE, drawz=64)

    def test_an_error_can_be_pickled(self):
        with self.assertRaises(lf.Error) as caught:
            lf.plan("nowhere.yaml")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(again), again.code, str(again)),
                         (type(caught.exception), caught.exception.code, str(caught.exception)))

    def test_what_is_called_meanwhile_can_be_called(self):
        with self.assertRaisesRegex(TypeError, "int is not callable"):
            lf.fit(model="llama-3.1-8b", gpu="h100-sxm", progress=3)

    def test_a_number_or_a_list_is_no_scenario(self):
        for wrong in (lambda: lf.plan(5), lambda: lf.fit(True), lambda: lf.emit(1.5, "x.yaml"),
                      lambda: lf.plan(["a.yaml", "b.yaml"]), lambda: lf.plan({"a.yaml"})):
            with self.assertRaisesRegex(TypeError, "a name, a path, a text or a dict, not"):
                wrong()
        with self.assertRaisesRegex(TypeError, "'set' is a dict"):
            lf.plan("x.yaml", set=5)

    def test_odd_values(self):
        for scenario in ("", "\n", {}, "{", "a: [", {"loadfactor": float("nan")},
                         {"loadfactor": 1, "serve": {"model": "\0"}}, "x\n" * 100000,
                         {"loadfactor": 1, "serve": {"model": "llama-3.1-8b", "demand":
                          {"rate": float("inf")}}}):
            with self.assertRaises(lf.Error, msg=str(scenario)[:40]):
                lf.serve(scenario)
        with self.assertRaises(TypeError):
            lf.serve({"loadfactor": object()})
        with self.assertRaises(lf.Error):
            lf.serve(SERVE, set={"no.such.key": 1})
        with self.assertRaises(lf.Error):
            lf.fit("llama-3.1-8b", gpu="h100-sxm", tp="three")


class Running(unittest.TestCase):
    def test_progress_is_told_and_can_stop_it(self):
        shares = []
        lf.simulate(SERVE, requests=200_000, progress=shares.append)
        self.assertTrue(all(0 <= share <= 1 for share in shares), shares)
        with self.assertRaises(lf.Cancelled):
            lf.simulate(SERVE, requests=20_000_000, progress=lambda share: False)

    def test_what_the_callback_raises_comes_through(self):
        def fail(_):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            lf.simulate(SERVE, requests=20_000_000, progress=fail)

    def test_ctrl_c_is_heard(self):
        # A shell that runs the tests in the background has SIGINT ignored by all that it starts.
        code = ("import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                "sys.path.insert(0, sys.argv[1]); import loadfactor as lf\n"
                "print('go', flush=True)\n"
                f"try: lf.simulate({SERVE!r}, requests=200_000_000)\n"
                "except KeyboardInterrupt: print('stopped', flush=True)\n")
        child = subprocess.Popen([sys.executable, "-c", code, sys.argv[1]], stdout=subprocess.PIPE,
                                 text=True)
        self.assertEqual(child.stdout.readline(), "go\n")
        time.sleep(1.5)
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.stdout.readline(), "stopped\n")
        took = time.monotonic() - began
        child.wait()
        child.stdout.close()
        print(f"Ctrl-C was heard after {1000 * took:.0f} ms")
        self.assertLess(took, 5)  # A few hundredths, on a machine that is not busy.

    def test_other_threads_run_meanwhile(self):
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.005)
        thread = threading.Thread(target=tick)
        thread.start()
        lf.simulate(SERVE, requests=100_000)
        stop.set()
        thread.join()
        self.assertGreater(len(ticks), 5)

    def test_threads_ask_at_once(self):
        answers = {}
        threads = [threading.Thread(target=lambda n=n: answers.__setitem__(
            n, lf.serve(SERVE).to_json())) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(answers.values())), 1)


class Showing(unittest.TestCase):
    def test_html_begins_with_the_verdict_and_escapes(self):
        answer = lf.cost({**SMALL, "name": "<script>alert(1)</script>"})
        page = answer._repr_html_()
        self.assertTrue(page.startswith("<p><strong>"), page[:80])
        self.assertIn("<table>", page)
        self.assertNotIn("<script", page)
        self.assertIn("<table>", answer.options._repr_html_())

    def test_tables_for_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas here")
        answer = lf.cost(SMALL)
        options = answer.to_pandas()
        self.assertEqual(len(options), len(answer.options))
        self.assertEqual(options["per_month"][0], answer.options[0].per_month.value)
        self.assertEqual(options.attrs["units"]["per_month"], answer.options[0].per_month.unit)
        figures = lf.serve(SERVE).to_pandas("figures")
        self.assertTrue({"name", "value", "unit", "basis"} <= set(figures.columns))
        with self.assertRaisesRegex(KeyError, "options"):
            answer.to_pandas("nothing")

    def test_a_repr_is_short(self):
        self.assertLess(len(repr(lf.serve(SERVE))), 300)
        self.assertIn("ServeAnswer", repr(lf.serve(SERVE)))


class Quantities(unittest.TestCase):
    def test_units_convert(self):
        self.assertAlmostEqual(lf.Quantity(80, "GB").to("GiB").value, 80e9 / 2**30)
        self.assertAlmostEqual(lf.Quantity("0.1 USD/kWh").to("USD/J").value, 0.1 / 3.6e6)
        self.assertLess(lf.Quantity(1, "s"), lf.Quantity(1, "hour"))
        with self.assertRaises(ValueError):
            lf.Quantity(1, "s").to("B")
        with self.assertRaises(ValueError):
            lf.Quantity("80 furlongs")

    def test_the_same_amount_is_equal_in_every_unit(self):
        giga, mega = lf.Quantity(1, "GB"), lf.Quantity(1000, "MB")
        self.assertEqual(giga, mega)
        self.assertEqual(hash(giga), hash(mega))
        self.assertEqual(lf.Quantity(3), 3)
        self.assertEqual({lf.Quantity(3): "a"}[3], "a")
        self.assertNotEqual(giga, lf.Quantity(1, "s"))
        self.assertNotEqual(giga, 1e9)
        self.assertNotEqual(giga, lf.Quantity(1, "GB", low=0.9, high=1.2))

    def test_sums_and_products_keep_units_and_intervals(self):
        cost = lf.Quantity(100, "USD/month", low=80, high=130, basis="modelled")
        self.assertEqual((12 * cost).to_dict(), (cost * 12).to_dict())
        self.assertEqual((cost / -2).to_dict(), {"value": -50, "low": -65, "high": -40,
                         "unit": "USD/month", "basis": "modelled", "source": ""})
        other = lf.Quantity(10, "USD/month", low=5, high=15)
        gap = cost - other
        self.assertEqual((gap.value, gap.low, gap.high, gap.basis), (90, 65, 125, ""))
        self.assertEqual(sum([other, other]).value, 20)
        year = (cost * lf.Quantity("12 months")).to("USD")
        self.assertAlmostEqual(year.value, 1200)
        self.assertAlmostEqual(year.high, 1560)
        self.assertEqual(lf.Quantity("1 GB") / lf.Quantity("500 MB"), 2)
        for wrong in (lambda: cost + 1, lambda: cost + "1 USD", lambda: 5 + cost):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaisesRegex(ValueError, "no measure of the same"):
            cost + lf.Quantity("1 GB")
        with self.assertRaises(ZeroDivisionError):
            cost / (other - other)

    def test_a_quantity_stands_in_a_scenario(self):
        price = {"money.electricity": lf.Quantity(0.1, "USD/kWh")}
        self.assertEqual(lf.cost(SMALL, set=price).to_json(),
                         lf.cost(SMALL, set={"money.electricity": "0.1 USD/kWh"}).to_json())

    def test_pint(self):
        try:
            import pint  # noqa: F401
        except ImportError:
            self.skipTest("no pint here")
        units = lf.pint_registry()
        self.assertAlmostEqual(lf.Quantity(80, "GB").to_pint().to("gigabyte").magnitude, 80)
        self.assertAlmostEqual(
            lf.Quantity.from_pint(0.1 * units.USD / units.kilowatt_hour).to("USD/kWh").value, 0.1)
        self.assertAlmostEqual(lf.Quantity.from_pint(700 * units.watt).to("W").value, 700)
        for text in ("5 GB/s", "12 tokens/s/GPU", "3 USD/GPU-hour", "2 PFLOPS", "4 s"):
            given = lf.Quantity(text)
            back = lf.Quantity.from_pint(given.to_pint()).to(given.unit)
            self.assertAlmostEqual(back.value, given.value)
        with self.assertRaises(ValueError):
            lf.Quantity.from_pint(3 * units.kelvin)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
