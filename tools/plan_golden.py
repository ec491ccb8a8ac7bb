#!/usr/bin/env python3
"""Keeps tests/golden/plans.csv, the answers to the six families of scenarios and to one in several
regions, and checks the laws that any such answer obeys, so that no golden certifies a mistake.

Usage: plan_golden.py check|update PROGRAM
"""
import csv
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden/plans.csv"
FAMILIES = ["chatbot-spiky", "coding-assistant", "batch-inference", "finetune-8b",
            "pretrain-70b-512", "pretrain-500b-30-days", "regions/chat-two-continents"]
TOLERANCE = 1e-6
COLUMNS = ["scenario", "decision", "accelerator", "gpus", "layout", "procurement", "load_factor",
           "break_even", "cost_usd", "days", "close_call"]


def ask(program, family):
    run = subprocess.run([program, "plan", f"data/scenarios/{family}.yaml", "--format", "json",
                          "--reproducible", "--quiet"], capture_output=True, text=True, cwd=ROOT,
                         check=False)
    if run.returncode != 0:
        sys.exit(f"{family}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)["answer"]


def number(quantity, scale=1.0):
    return "" if quantity is None else f"{quantity['value'] / scale:.6g}"


def row_of(family, answer):
    plan = answer["plan"] or {}
    return [family, answer["decision"], plan.get("accelerator", ""), str(plan.get("gpus", "")),
            plan.get("layout", ""), plan.get("procurement", ""), number(answer["load_factor"]),
            number(answer["break_even"]), number(answer["options"][0]["cost"]),
            number(answer["duration"], 86400), str(answer["close_call"]).lower()]


def region_rows(family, answer):
    """A row for each region, and one for each place that would serve all."""
    regions = answer.get("regions") or {"sites": [], "places": []}
    for part, sites in (("in", regions["sites"]), ("all from", regions["places"])):
        for site in sites:
            kept = "kept" if site["keeps_promise"] else "not kept"
            yield [f"{family} {part} {site['region']}", kept, site["accelerator"], str(site["gpus"]),
                   f"{site['replicas']} replicas", site["option"], "", "", number(site["per_month"]),
                   "", ""]


def same(a, b):
    if a == b:
        return True
    try:
        return math.isclose(float(a), float(b), rel_tol=TOLERANCE)
    except ValueError:
        return False


def broken_laws(family, answer):
    broken = []

    def law(holds, words):
        if not holds:
            broken.append(f"{family}: {words}")

    load, even = answer["load_factor"], answer["break_even"]
    law(0 < load["value"] <= 1, "the load factor is a share")
    law(load["low"] <= load["value"] <= load["high"], "its interval holds it")
    lost = sum(answer["losses_pct"].values())
    law(math.isclose(lost + 100 * load["value"], 100, abs_tol=0.5),
        f"losses of {lost:.2f} points and the load factor make the whole")
    costs = [o["cost"]["value"] for o in answer["options"]]
    law(costs == sorted(costs), "the cheapest option stands first")
    api = [o for o in answer["options"] if o["kind"] == "api"]
    law((answer["decision"] == "use the API") == (answer["options"][0]["kind"] == "api"),
        "the API is the verdict where it is the cheapest")
    for option in answer["options"]:
        if option["kind"] not in ("own", "on-demand", "reserved-1y", "spot") or not api:
            continue
        cheaper = option["cost"]["value"] <= api[0]["cost"]["value"]
        full = option["load_factor"]["value"] >= option["break_even"]["value"]
        law(cheaper == full, f"{option['name']} is cheaper than the API where it is full enough")
    if even is not None:
        apart = abs(load["value"] - even["value"])
        width = math.hypot(load["high"] - load["low"], even["high"] - even["low"])
        law(not answer["close_call"] or apart <= width, "a close call is close")
    if answer.get("regions"):
        regions = answer["regions"]
        shares = sum(site["share_pct"] for site in regions["sites"])
        law(math.isclose(shares, 100, abs_tol=0.02), "regions share all of the demand")
        law(regions["gpus"] == sum(site["gpus"] for site in regions["sites"]), "GPUs add up")
        law(math.isclose(regions["per_month"]["value"],
                         sum(site["per_month"]["value"] for site in regions["sites"])),
            "what regions cost adds up")
        for site in (*regions["sites"], *regions["places"]):
            month = site["per_month"]
            law(month["low"] < month["value"] < month["high"], "a cost has an interval")
        law(all(place["round_trip"]["value"] > 0 for place in regions["places"]),
            "users elsewhere are some way off")
    if answer["deadline_met"] is True:
        law(answer["decision"] != "not feasible", "what meets its deadline is feasible")
    return broken


def main():
    mode, program = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())
    answers = {family: ask(program, family) for family in FAMILIES}
    problems = [words for family, answer in answers.items() for words in broken_laws(family, answer)]
    rows = [row for family, answer in answers.items()
            for row in (row_of(family, answer), *region_rows(family, answer))]
    if mode == "update" and not problems:
        with open(GOLDEN, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
        return 0
    if mode == "check":
        with open(GOLDEN, newline="") as file:
            known = list(csv.reader(file))
        for now, then in zip([COLUMNS, *rows], known):
            for column, a, b in zip(COLUMNS, now, then):
                if not same(a, b):
                    problems.append(f"{now[0]}: {column} is {a}, was {b}")
        if len(known) != len(rows) + 1:
            problems.append("the table has another number of rows")
        if problems:
            problems.append("if this is meant: tools/plan_golden.py update PROGRAM")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
