#!/usr/bin/env python3
"""The ratio and its interval on series whose truth is known; CPU seconds on a program that sleeps."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402
from ratio import ratio_of  # noqa: E402

LIMIT = 1.05


def series(times, rounds, noise, seed):
    """Pairs of one program and of another that takes `times` as long; both share a round's weather."""
    draw = random.Random(seed)
    before, after = [], []
    for _ in range(rounds):
        weather = draw.lognormvariate(0, 0.2)
        before.append(weather * draw.lognormvariate(0, noise))
        after.append(times * weather * draw.lognormvariate(0, noise))
    return before, after


def share_above(times, rounds=10, noise=0.02, trials=100):
    above = sum(ratio_of(*series(times, rounds, noise, seed)).is_above(LIMIT) for seed in range(trials))
    return above / trials


class RatioTest(unittest.TestCase):
    def test_the_same_program_is_not_slower(self):
        self.assertEqual(share_above(1.0), 0)

    def test_three_per_cent_pass(self):
        self.assertLess(share_above(1.03), 0.05)

    def test_at_the_limit_few_fail(self):
        self.assertLess(share_above(LIMIT), 0.12)

    def test_ten_per_cent_fail(self):
        self.assertGreater(share_above(1.10), 0.95)

    def test_the_interval_holds_the_truth(self):
        trials, held = 100, 0
        for seed in range(trials):
            ratio = ratio_of(*series(1.2, 12, 0.05, seed))
            held += ratio.low <= 1.2 <= ratio.high
        self.assertGreaterEqual(held / trials, 0.85)

    def test_equal_series_have_a_ratio_of_one_without_width(self):
        ratio = ratio_of([1, 2, 3], [1, 2, 3])
        self.assertEqual((ratio.low, ratio.middle, ratio.high), (1, 1, 1))

    def test_the_order_of_both_matters(self):
        before, after = series(1.5, 6, 0.01, 7)
        self.assertAlmostEqual(ratio_of(before, after).middle * ratio_of(after, before).middle, 1)

    def test_a_single_round_is_refused(self):
        with self.assertRaises(ValueError):
            ratio_of([1.0], [1.0])


class CompareTest(unittest.TestCase):
    def test_seconds_are_those_of_the_processor(self):
        asleep = compare.cpu_seconds(["sleep", "0.3"])
        busy = compare.cpu_seconds([sys.executable, "-c", "sum(range(8_000_000))"])
        self.assertLess(asleep, 0.1)
        self.assertGreater(busy, asleep)

    def test_a_program_that_fails_is_no_measurement(self):
        with self.assertRaises(compare.Broken):
            compare.cpu_seconds([sys.executable, "-c", "raise SystemExit(70)"])

    def test_a_slower_program_fails_and_the_same_passes(self):
        spin = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass"
        short, long = ([sys.executable, "-c", spin.format(cpu)] for cpu in (0.05, 0.15))
        rows = compare.measure({"same": (short, short), "slower": (short, long)}, rounds=4)
        verdicts = {row.name: row.ratio.is_above(LIMIT) for row in rows}
        self.assertEqual(verdicts, {"same": False, "slower": True})

    def test_benchmarks_are_read_by_name_and_unit(self):
        text = '{"benchmarks": [{"name": "a", "run_type": "iteration", "cpu_time": 3.0, "time_unit": "us"},' \
               ' {"name": "a_mean", "run_type": "aggregate", "cpu_time": 3.0, "time_unit": "us"}]}'
        self.assertEqual(compare.read_benchmarks(text), {"a": 3e-6})


if __name__ == "__main__":
    unittest.main()
