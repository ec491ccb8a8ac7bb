#!/usr/bin/env python3
"""Money of `cost`, computed again from what a scenario states, by formulas that are written here and nowhere else.

Usage: money_test.py PROGRAM

The scenario of tests/integration/money states every price, so that nothing comes from the catalogue. A month is 730
hours, a year twelve of them.
"""
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SCENARIO = HERE / "money" / "machines.yaml"
CLOSE = 1e-9
LEAST = 25  # Figures.
MONTH, YEAR = 730.0, 8760.0  # Hours.

GPUS, RATE, LOAD, PEOPLE = 16, 2500.0, 0.60, 5000.0
TOKENS = GPUS * RATE * LOAD * MONTH * 3600 / 1e6  # Millions in a month.


def answer_of(program, *sets):
    words = [program, "cost", str(SCENARIO), "--draws", "64", "--format", "json", "--quiet"]
    for each in sets:
        words += ["--set", each]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["answer"]


def annuity(price, residual, interest, years):
    """What a year must repay of a price, less what is left of it at the end, with interest."""
    left = residual * price * (1 + interest) ** -years
    return (price - left) * (interest / (1 - (1 + interest) ** -years) if interest else 1 / years)


def owned():
    """Lines of a month of owning, for all GPUs."""
    price, power = 38000.0, 1.3  # Dollars and kilowatts of one.
    drawn = power * 0.80 * 1.3  # At the meter, at work.
    lines = {
        "capital": annuity(price, 0.10, 0.09, 5) / 12 * GPUS,
        "electricity": drawn * 0.11 * MONTH * (LOAD + (1 - LOAD) * 0.30) * GPUS,
        "space": power * 150.0 * GPUS,
        "maintenance": 0.03 * price / 12 * GPUS,
        "insurance": 0.005 * price / 12 * GPUS,
        "staff": 0.12 * MONTH * GPUS,
        "software": 0.05 * MONTH * GPUS,
    }
    return lines


def rented(price):
    """A month of a rent by the GPU-hour, with support, hours lost, storage and egress."""
    return price * MONTH * GPUS * (1 + 0.05 + 0.02) + 500.0 + 300.0


def api_month():
    """A month of the same tokens."""
    blended = 0.80 * (0.70 * 0.5 + 0.30 * 0.25) + 0.20 * 1.5
    return TOKENS * blended


def interruptions():
    """Hours that are paid for each hour of work, and the share of the time that waits, on spot machines."""
    hazard = -math.log(1 - 0.10) / (30 * 24)  # The hazard of an hour.
    waits = hazard * 1.0
    return 1 + hazard * 0.5, waits / (1 + waits)


class Figures:
    def __init__(self):
        self.count, self.wrong = 0, []

    def check(self, name, said, computed):
        self.count += 1
        if abs(said - computed) > CLOSE * max(1.0, abs(computed)):
            self.wrong.append(f"{name}: the program says {said!r}, the formula {computed!r}")


def check_rents(figures, options):
    for kind, price in (("on-demand", 3.2), ("reserved-1y", 2.4), ("reserved-3y", 1.9)):
        month = rented(price) + PEOPLE
        figures.check(f"{kind}, a month", options[kind]["per_month"]["value"], month)
        figures.check(f"{kind}, a million tokens", options[kind]["per_mtoken"]["value"], month / TOKENS)
        figures.check(f"{kind}, an hour of work", options[kind]["per_useful_gpu_hour"]["value"], month / (MONTH * GPUS * LOAD))
        figures.check(f"{kind}, break-even", options[kind]["break_even"]["value"], (rented(price) + PEOPLE) / api_month() * LOAD)


def check_spot(figures, answer, options):
    multiplier, waiting = interruptions()
    figures.check("spot, hours paid for an hour of work", answer["spot"]["multiplier"]["value"], multiplier)
    figures.check("spot, share that waits", answer["spot"]["waiting_share"]["value"], waiting)
    figures.check("spot, a month", options["spot"]["per_month"]["value"], rented(1.5) * multiplier + PEOPLE)


def check_owning(figures, answer, options):
    lines = owned()
    running = sum(lines.values())
    # What is out of order is made up for by machines that work: at full draw.
    working = running + lines["electricity"] * (1 / (LOAD + (1 - LOAD) * 0.30) - 1)
    whole = running + working * (1 / 0.99 - 1)
    said = {line["name"]: line["per_month"]["value"] for line in answer["bill"]["lines"]}
    for name, computed in lines.items():
        found = [value for key, value in said.items() if name in key]
        figures.check(f"own, {name}", found[0] if found else math.nan, computed)
    figures.check("own, a month", options["own"]["per_month"]["value"], whole + PEOPLE)
    figures.check("own, the bill's total", answer["bill"]["total"]["value"], whole + PEOPLE)
    figures.check("own, a million tokens", options["own"]["per_mtoken"]["value"], (whole + PEOPLE) / TOKENS)
    price = 38000.0
    figures.check("purchase, annuity an hour", answer["capital"]["annuity"]["value"], annuity(price, 0.10, 0.09, 5) / YEAR)
    figures.check("purchase, books an hour", answer["capital"]["book"]["value"], price * 0.90 / 5 / YEAR)


def check_api(figures, options):
    figures.check("api, a month", options["api"]["per_month"]["value"], api_month())  # Nobody looks after machines.
    figures.check("api, a million tokens", options["api"]["per_mtoken"]["value"], api_month() / TOKENS)


def main():
    program = sys.argv[1]
    answer = answer_of(program)
    figures, options = Figures(), {o["kind"]: o for o in answer["options"]}
    check_rents(figures, options)
    check_spot(figures, answer, options)
    check_owning(figures, answer_of(program, "money.options=[own]"), options)
    check_api(figures, options)
    print("\n".join(figures.wrong) or f"{figures.count} figures agree")
    return 1 if figures.wrong or figures.count < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
