#!/usr/bin/env python3
"""No modelled figure of `fill`, `cost` and `plan` claims to be exact, unless it is by definition.

    widths.py PROGRAM SCENARIO...

Every figure lies within its interval; and one that is printed by several verbs for the same
deployment has one interval.
"""

import json
import subprocess
import sys

# Figures that nothing uncertain enters, by what makes them exact.
EXACT = {
    # What the scenario states, and sums of it.
    "mean_rate", "peak_rate", "horizon", "binds", "tokens_per_month", "bill.lines[].quantity",
    "simulated.share_of_demand", "claim.claimed", "options[].binds",
    # Points at which something is asked for, and ratios of definitions.
    "loads[].load_factor", "loads[].multiple", "crowd[].load_factor", "crowd[].requests",
    "tornado[].low", "tornado[].high", "tornado[].at_low", "tornado[].at_high",
    # As full as shape and SLO allow: a ratio of rates of one replica, which its speed leaves.
    "thresholds[].fullest",
    # Statistics of the draws and of stated paths, which are the uncertainty themselves.
    "uncertainty.inputs[].worth_per_month", "uncertainty.worth_of_knowing_all",
    "regret[].options[].present_cost", "regret[].options[].regret",
    # Facts of the catalogue as they were read.
    "spot.between_interruptions", "spot.multiplier", "spot.waiting_share",
}
# Lines of a bill that are a fact of the catalogue times what was bought.
EXACT_LINES = {"space and power rating", "staff"}
EXACT_PARTS = ("rent_paths.", "facility.", "capital.", "waiting.", "porting[]", "mix.")


def figures(value, path="", name=""):
    """Every figure with its path and the name of the row that it is part of."""
    if isinstance(value, dict):
        if {"value", "low", "high", "basis"} <= value.keys():
            yield path, name, value
            return
        for key, part in value.items():
            yield from figures(part, f"{path}.{key}" if path else key, value.get("name", ""))
    elif isinstance(value, list):
        for part in value:
            yield from figures(part, path + "[]", name)


def is_exact_by_definition(path, name, figure):
    at_an_end = figure["unit"] == "1" and figure["value"] in (0, 1)
    is_fact = path == "bill.lines[].per_month" and name in EXACT_LINES
    return path in EXACT or path.startswith(EXACT_PARTS) or at_an_end or is_fact


def ask(program, verb, scenario):
    run = subprocess.run([program, verb, scenario, "--format", "json"], capture_output=True,
                         text=True, timeout=600)
    return json.loads(run.stdout)["answer"] if run.returncode == 0 and run.stdout else None


def check(program, scenario):
    faults = []
    seen = 0
    loads = {}
    for verb in ("fill", "cost", "plan"):
        answer = ask(program, verb, scenario)
        if answer is None:
            continue
        for path, name, figure in figures(answer):
            seen += 1
            if not figure["low"] <= figure["value"] <= figure["high"]:
                faults.append(f"{verb} {path}: {figure['value']} lies outside its interval")
            is_modelled = figure["basis"] in ("modelled", "calibrated")
            if is_modelled and figure["low"] == figure["high"] and \
                    not is_exact_by_definition(path, name, figure):
                faults.append(f"{verb} {path}: {figure['value']} {figure['unit']} has no width")
        load = answer.get("load_factor")
        if verb != "cost" and load:
            loads[verb] = load
    if len(loads) == 2 and loads["fill"]["value"] == loads["plan"]["value"]:
        for end in ("low", "high"):
            if loads["fill"][end] != loads["plan"][end]:
                faults.append(f"load_factor: `fill` and `plan` differ in {end}")
    return seen, faults


def main():
    program, *scenarios = sys.argv[1:]
    total = 0
    for scenario in scenarios:
        seen, faults = check(program, scenario)
        total += seen
        for fault in faults:
            print(f"{scenario}: {fault}")
        if faults:
            sys.exit(1)
        if seen == 0:
            sys.exit(f"{scenario}: no verb answers, so nothing was checked")
    print(f"{total} figures of {len(scenarios)} scenarios have the interval they need")


if __name__ == "__main__":
    main()
