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
    # Whole replicas of a written fleet that the peak does not need, be they quick or slow.
    "losses.demand",
    # Statistics of the draws and of stated paths, which are the uncertainty themselves.
    "uncertainty.inputs[].worth_per_month", "uncertainty.worth_of_knowing_all",
    "regret[].options[].present_cost", "regret[].options[].regret",
    # Facts of the catalogue as they were read.
    "spot.between_interruptions", "spot.multiplier", "spot.waiting_share",
}
# Lines of a bill that are a fact of the catalogue, or what the scenario states, times what was
# bought.
EXACT_LINES = {"space and power rating", "staff", "people", "software", "storage", "egress"}
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
    # A GPU less that is rented again when it is missed costs what it saves, and one more of a
    # machine that is paid for whole costs nothing.
    is_nothing = path in ("marginal_gpu.give_up_per_month", "one_more.per_month",
                          "one_fewer.per_month") and figure["value"] == 0
    at_an_end = figure["unit"] == "1" and figure["value"] in (0, 1) or is_nothing
    is_fact = path == "bill.lines[].per_month" and name in EXACT_LINES
    return path in EXACT or path.startswith(EXACT_PARTS) or at_an_end or is_fact


WAYS = {"on demand": "on-demand", "reserved, 1 year": "reserved-1y",
        "reserved, 3 years": "reserved-3y", "owned": "own", "spot": "spot"}
SAME = 1e-6     # Of two values.
NEAR = 2e-3     # Of the ends of intervals: draws and quantiles are counted in steps.


def known(figure):
    return isinstance(figure, dict) and {"value", "low", "high"} <= figure.keys()


def over(figure, by):
    return {key: figure[key] / by for key in ("value", "low", "high")}


def of_option(option, is_run):
    """What several verbs say of one way to pay."""
    kind = option["kind"]
    yield f"load factor, {kind}", option.get("load_factor")
    yield f"break-even, {kind}", option.get("break_even")
    gpus = option.get("gpus")
    gpus = gpus["value"] if isinstance(gpus, dict) else gpus
    if gpus and not is_run and kind in WAYS.values() and known(option.get("per_month")):
        yield f"price of a GPU, {kind}", over(option["per_month"], gpus * 730 * 3600)
    if not is_run:
        yield f"price of a token, {kind}", option.get("per_mtoken")


def stated(verb, answer):
    """The figures that several verbs state, by name; a name that comes twice is of the first."""
    machine = (answer.get("plan") or answer).get("accelerator")
    is_run = verb == "train" or answer.get("work") == "train"
    if verb == "serve":
        yield "load factor", answer.get("utilisation")
        yield "saturated", answer.get("saturated_requests")
    if verb == "fill":
        yield "load factor", answer.get("load_factor")
        yield "within the SLO", answer.get("within_slo")
        priced = WAYS.get(answer.get("priced_as"))
        yield f"break-even, {priced}", answer.get("break_even")
        for way in answer.get("ways") or []:
            yield f"break-even, {WAYS.get(way['way'])}", way.get("break_even")
            yield f"price of a GPU, {WAYS.get(way['way'])}", way.get("price")
        for point in answer.get("curve") or []:
            if point["gpus"] == answer.get("gpus"):
                yield f"price of a token, {priced}", point.get("per_mtoken")
        for row in answer.get("thresholds") or []:
            if row["change"] == "as it is":
                yield f"break-even, {priced}", row["break_even"]
    if verb == "train":
        yield "duration", answer.get("duration")
        for way in answer.get("ways") or []:
            yield f"days, {way.get('option')}", way.get("duration")
            yield f"cost, {way.get('option')}", way.get("cost")
    if verb in ("cost", "plan"):
        yield ("load factor" if not is_run else "useful time"), answer.get("load_factor")
        yield "within the SLO", answer.get("within_slo")
        for option in answer.get("options") or []:
            if option.get("accelerator") in (None, "", machine):
                yield from of_option(option, is_run)
                yield f"days, {option['kind']}", option.get("run_time")
                yield f"cost, {option['kind']}", option.get("per_run" if verb == "cost" else "cost")


def alike(a, b, tolerance):
    return abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-300)


def differences(said):
    """Figures that have one value in two verbs, and two intervals."""
    said = [(verb, name, figure) for verb, name, figure in said if known(figure)]
    loads = {verb: figure["value"] for verb, name, figure in said if name == "load factor"}
    first = {}
    for verb, name, figure in said:
        before, theirs = first.setdefault(name, (verb, figure))
        # Verbs that size may take other machines.
        if before in loads and verb in loads and not alike(loads[before], loads[verb], SAME):
            continue
        if alike(theirs["value"], figure["value"], SAME):
            for end in ("low", "high"):
                if not alike(theirs[end], figure[end], NEAR):
                    yield f"{name}: {end} is {theirs[end]:.6g} in {before}, {figure[end]:.6g} in {verb}"


def ask(program, verb, scenario):
    run = subprocess.run([program, verb, scenario, "--format", "json"], capture_output=True,
                         text=True, timeout=600)
    return json.loads(run.stdout)["answer"] if run.returncode == 0 and run.stdout else None


def check(program, scenario):
    faults = []
    seen = 0
    said = []
    for verb in ("serve", "train", "fill", "cost", "plan"):
        answer = ask(program, verb, scenario)
        if answer is None:
            continue
        said += [(verb, name, figure) for name, figure in stated(verb, answer)]
        if verb in ("serve", "train"):
            continue
        for path, name, figure in figures(answer):
            seen += 1
            if not figure["low"] <= figure["value"] <= figure["high"]:
                faults.append(f"{verb} {path}: {figure['value']} lies outside its interval")
            is_modelled = figure["basis"] in ("modelled", "calibrated")
            if is_modelled and figure["low"] == figure["high"] and \
                    not is_exact_by_definition(path, name, figure):
                faults.append(f"{verb} {path}: {figure['value']} {figure['unit']} has no width")
    return seen, faults + list(differences(said))


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
