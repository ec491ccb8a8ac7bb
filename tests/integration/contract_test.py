#!/usr/bin/env python3
"""What other programs rely on: every verb's JSON has the fields that were promised, each of its kind; its figures add
up; and its table says the same.

Usage: contract_test.py PROGRAM
"""
import csv
import io
import json
import math
import pathlib
import re
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "data"
CHAT = str(DATA / "scenarios/chatbot-spiky.yaml")
TUNE = str(DATA / "scenarios/finetune-8b.yaml")
QUANTITY = ["value", "low", "high", "unit", "basis", "source"]
BASES = {"given", "exact", "measured", "calibrated", "modelled", "assumed", "simulated"}
KINDS = {"own", "reserved-1y", "reserved-3y", "on-demand", "spot", "api", "mix", "autoscaled", "managed", "three-tier",
         "alternative"}
DECISIONS = {"scale up", "hold", "shrink", "use the API", "use one bigger GPU", "split training and serving",
             "not feasible"}
ENVELOPE = ["loadfactor", "verb", "scenario", "answer", "notices", "provenance"]
LAYOUT = "tp:count pp:count ep:count dp:count gpus:count"

# Verb by verb: words, what is promised, and the list that is its table (None: a field a row).
CASES = [
    ("fit", ["fit", "llama-3.1-8b", "--gpu", "h100-sxm"],
     "parameters.total:count parameters.active:count parameters.mtp:count weights:B kv_per_token:B/token "
     "kv_tokens:tokens sequences:count fits:flag min_gpus:count", "memory"),
    ("serve", ["serve", CHAT],
     "precision:text kv:text layout.replicas:count throughput:tokens/s ttft.mean:s tpot.mean:s "
     + " ".join("layout." + each for each in LAYOUT.split()), None),
    ("simulate", ["serve", "--simulate", CHAT, "--requests", "300"],
     "engine:text requests:count ttft.p50:s ttft.p95:s ttft.p99:s tpot.p50:s tpot.p95:s tpot.p99:s "
     "throughput:tokens/s load_factor:1 deployment.gpus:count deployment.replicas:count deployment.tp:count "
     "duration:s", None),
    ("fill", ["fill", CHAT],
     "load_factor:1 break_even:1 gpus:count losses.demand:1 losses.shape:1 losses.headroom:1 losses.slo:1 "
     "losses.rounding:1", "curve"),
    ("train", ["train", TUNE], "step_time:s tokens_per_s:tokens/s mfu:1 memory:B fits:flag "
     + " ".join("layout." + each for each in LAYOUT.split()), "breakdown"),
    ("search", ["train", "--search", TUNE, "--threads", "1"],
     "enumerated:count evaluated:count plans[].tp:count plans[].pp:count plans[].vp:count plans[].cp:count "
     "plans[].ep:count plans[].dp:count plans[].zero:text plans[].micro_batch:count plans[].recompute:text "
     "plans[].step_time:s plans[].tokens_per_s:tokens/s plans[].mfu:1 plans[].memory:B plans[].cost:USD "
     "plans[].why:text", "plans"),
    ("plan", ["plan", TUNE, "--draws", "64", "--threads", "1"],
     "verdict:text decision:text load_factor:1 break_even:1 plan.accelerator:text plan.precision:text plan.gpus:count "
     "plan.nodes:count plan.replicas:count plan.tp:count plan.pp:count options[].name:text options[].kind:text "
     "options[].gpus:count options[].per_month:USD/month levers[].then.decision:text levers[].then.gpus:count "
     "levers[].then.load_factor:1 levers[].then.per_month:USD/month", "options"),
    ("plan", ["plan", CHAT, "--draws", "64", "--threads", "1"],
     "within_slo:1 break_even:1 flips[].at:number flips[].from:text flips[].to:text options[].kind:text "
     "options[].gpus:count levers[].then.decision:text levers[].then.per_month:USD/month", "options"),
    ("cost", ["cost", str(DATA / "scenarios/cost/chat-70b.yaml"), "--draws", "64", "--threads", "1"],
     "options[].name:text options[].gpus:number options[].load_factor:1? options[].break_even:1? "
     "options[].per_month:USD/month options[].per_mtoken:USD/M_tokens", "options"),
    ("demand", ["demand", str(SAMPLES / "traces/week_of_hours.csv")],
     "mean_rate:Hz peak_rate:Hz mean_to_peak:1 cv:1 lengths:any", "windows"),
    ("audit", ["audit", str(DATA / "scenarios/audits/cluster-economics.yaml")],
     "findings[].claim:text findings[].computed:text findings[].severity:text findings[].verdict:text "
     "findings[].sum:text findings[].source:text", "findings"),
    ("catalog", ["catalog", "gpus"], "gpus[].name:text gpus[].watts:number", "gpus"),
    ("emit", ["emit", "slurm", TUNE], "target:text files[].path:text files[].role:text", None),
]


def close(a, b, share=1e-9):
    return math.isclose(a, b, rel_tol=share, abs_tol=1e-9)


def number(thing):
    return thing["value"] if isinstance(thing, dict) else thing


class Wrong:
    def __init__(self):
        self.told, self.checks, self.verb = [], 0, ""

    def unless(self, holds, sentence):
        self.checks += 1
        if not holds:
            self.told.append(f"{self.verb}: {sentence}")


def everything(value, path=""):
    """Each value of an answer with its path."""
    yield path, value
    if isinstance(value, dict):
        for key, each in value.items():
            yield from everything(each, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from everything(each, f"{path}[{i}]")


def at(value, path):
    """All that stands at a path; `[]` stands for every item of a list."""
    if not path:
        return [value]
    key, _, rest = path.partition(".")
    if key.endswith("[]"):
        items = value.get(key[:-2])
        return [found for item in items for found in at(item, rest)] if isinstance(items, list) else [None]
    return at(value[key], rest) if isinstance(value, dict) and key in value else [None]


def is_of_kind(value, kind):
    if kind == "any":
        return value is not None
    if kind.endswith("?"):
        return value is None or is_of_kind(value, kind[:-1])
    if kind == "text":
        return isinstance(value, str)
    if kind == "flag":
        return isinstance(value, bool)
    if kind == "count":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, dict) and list(value) == QUANTITY and value["unit"] == kind.replace("_", " ")


def check_promises(answer, promised, wrong):
    for each in promised.split():
        path, _, kind = each.partition(":")
        found = at(answer, path)
        wrong.unless(found, f"there is no {path}")
        for value in found:
            wrong.unless(is_of_kind(value, kind), f"{path} is {json.dumps(value)[:80]}, not of the kind {kind}")


def check_quantities(answer, wrong):
    for path, value in everything(answer):
        if not isinstance(value, dict) or not {"value", "unit", "basis"} <= set(value):
            continue
        wrong.unless(list(value) == QUANTITY, f"{path} has the keys {list(value)}")
        wrong.unless(value["basis"] in BASES, f"{path} rests on '{value['basis']}'")
        if all(isinstance(value[end], (int, float)) for end in ("low", "value", "high")):
            rounding = 1e-12 * abs(value["value"])
            wrong.unless(value["low"] - rounding <= value["value"] <= value["high"] + rounding,
                         f"{path}: {value['value']} is not from {value['low']} to {value['high']}")


def column(item, name):
    """What a column of a table shows of an item: `memory.low` is the lower end of a quantity."""
    part = "value"
    for end in ("low", "high", "unit"):
        if name.endswith("." + end):
            name, part = name[:-len(end) - 1], end
    value = item
    for key in name.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value.get(part) if isinstance(value, dict) and "value" in value else value


def shows(cell, value):
    if value is None or value == []:
        return cell == ""
    if isinstance(value, bool):
        return cell == str(value).lower()
    if isinstance(value, (int, float)):
        return cell != "" and close(float(cell), value, 1e-12)
    return cell in (value, "'" + str(value))


def check_table(answer, table, text, wrong):
    rows = list(csv.DictReader(io.StringIO(text)))
    if table is None:
        for row in rows:
            name = re.sub(r"\[\d+\]", "", row["field"])
            if name != row["field"] or name.split(".")[0] not in answer:
                continue
            wrong.unless(shows(row["value"], column(answer, name)), f"the table says {row} of {name}")
        wrong.unless(len(rows) > 3, "the table is empty")
        return
    items = answer[table]
    wrong.unless(len(rows) >= len(items) > 0, f"{len(rows)} rows for {len(items)} {table}")
    for row, item in zip(rows, items):
        for name, cell in row.items():
            value = column(item, name)
            if isinstance(value, (dict, list)) and value:
                continue  # A part of its own, which no cell can show.
            wrong.unless(shows(cell, value), f"the table says {name} = '{cell}', the answer {value}")


def check_layout(layout, wrong):
    context = layout.get("cp", 1)
    if "zero" in layout:
        gpus = layout["tp"] * layout["pp"] * context * layout["dp"]
    else:
        gpus = layout["tp"] * layout["pp"] * context * layout["dp"] * layout["replicas"]
    wrong.unless(layout["gpus"] == gpus, f"{layout} are {gpus} GPUs")


def laws_of_fit(answer, wrong):
    check_layout(answer["layout"], wrong)
    wrong.unless(answer["parameters"]["active"] <= answer["parameters"]["total"], "more is active than there is")
    by_length = answer["sequences_by_length"]
    for shorter, longer in zip(by_length, by_length[1:]):
        wrong.unless(shorter["tokens"] < longer["tokens"] and shorter["sequences"] >= longer["sequences"],
                     "longer sequences are more of them")
    for each in by_length:
        wrong.unless(each["tokens"] * each["sequences"] <= number(answer["kv_tokens"]) * (1 + 1e-9),
                     f"{each} are more tokens than the cache holds")
    wrong.unless(answer["sequences_low"] <= answer["sequences"] <= answer["sequences_high"], "sequences within bounds")
    cache = next(each for each in answer["memory"] if each["name"] == "KV cache")
    wrong.unless(close(number(cache["bytes"]), number(answer["kv_tokens"]) * number(answer["kv_per_token"]), 1e-3),
                 "the cache is its tokens times their size")
    wrong.unless(answer["fits"] == (answer["layout"]["gpus"] >= answer["min_gpus"]), "what fits has GPUs enough")


def laws_of_serve(answer, wrong):
    check_layout(answer["layout"], wrong)
    gpus = answer["layout"]["gpus"]
    wrong.unless(close(number(answer["saturated"]), number(answer["saturated_per_gpu"]) * gpus), "of each GPU, times all")
    wrong.unless(close(number(answer["throughput"]), number(answer["saturated"]) * number(answer["utilisation"]), 1e-6),
                 "what is served is a share of what could be")
    wrong.unless(number(answer["ttft"]["mean"]) < number(answer["latency"]["mean"]), "the first token comes first")
    for phase in ("decode", "prompt"):
        device = sum(number(each[phase]) for each in answer["breakdown"] if not each["name"].startswith("host"))
        host = sum(number(each[phase]) for each in answer["breakdown"] if each["name"].startswith("host"))
        wrong.unless(device - 1e-12 <= number(answer["step"][phase]) <= (device + host) * (1 + 1e-9),
                     f"a {phase} step is what the device takes, and what of the host does not hide behind it")


def laws_of_simulate(answer, wrong):
    wrong.unless(answer["requests"] == answer["served"] + answer["turned_away"] + answer["cancelled"],
                 "each request ends one way")
    for name in ("ttft", "tpot", "itl", "e2e"):
        ends = [number(answer[name][each]) for each in ("p50", "p90", "p95", "p99")]
        wrong.unless(ends == sorted(ends), f"quantiles of {name} rise")
        if name in answer["histograms"]:
            wrong.unless(close(sum(each["share_percent"] for each in answer["histograms"][name]), 100, 1e-6),
                         f"the histogram of {name} holds all")
    rates = answer["token_rates"]
    wrong.unless(close(number(rates["in"]["all"]) + number(rates["out"]["all"]), number(rates["total"]["all"])),
                 "tokens in and out are all tokens")
    spent = number(answer["load_factor"]) + sum(number(each) for each in answer["losses"].values())
    wrong.unless(close(spent, 1, 1e-6), f"load factor and losses are {spent}")


def laws_of_fill(answer, wrong):
    check_layout(answer, wrong)
    spent = number(answer["load_factor"]) + sum(number(each) for each in answer["losses"].values())
    wrong.unless(close(spent, 1, 1e-6), f"load factor and losses are {spent}")
    wrong.unless(all(number(each) >= -1e-9 for each in answer["losses"].values()), "no loss is below nothing")
    curve = answer["curve"]
    for smaller, larger in zip(curve, curve[1:]):
        wrong.unless(smaller["gpus"] < larger["gpus"], "the curve grows")
        wrong.unless(number(smaller["load_factor"]) >= number(larger["load_factor"]) - 1e-9, "more GPUs are less full")
    wrong.unless(number(answer["mean_rate"]) <= number(answer["peak_rate"]), "the peak is above the mean")


def laws_of_train(answer, wrong):
    layout = answer["layout"]
    check_layout(layout, wrong)
    wrong.unless(layout["micro_batch"] * layout["micro_batches"] * layout["dp"] == answer["global_batch"],
                 "micro-batches of all copies are the batch")
    tokens = answer["global_batch"] * answer["sequence"]
    wrong.unless(close(number(answer["tokens_per_s"]) * number(answer["step_time"]), tokens, 1e-6),
                 "tokens of a step, over its time, are the rate")
    wrong.unless(close(number(answer["tokens_per_s_per_gpu"]) * layout["gpus"], number(answer["tokens_per_s"])),
                 "of each GPU, times all")
    wrong.unless(close(sum(number(each["time"]) for each in answer["breakdown"]), number(answer["step_time"]), 1e-6),
                 "parts of a step are the step")
    wrong.unless(close(sum(each["percent"] for each in answer["breakdown"]), 100, 1e-6), "parts are the whole")
    lines = {each["name"]: number(each["bytes"]) for each in answer["memory_lines"]}
    wrong.unless(close(sum(lines.values()), number(answer["memory_per_gpu"])), "lines of memory are that of a GPU")
    wrong.unless(close(sum(lines.values()) - lines["free"], number(answer["memory"])), "less what is free: what it needs")
    wrong.unless(number(answer["mfu"]) <= number(answer["hfu"]) + 1e-12, "what is done again is done")


def laws_of_search(answer, wrong):
    plans = answer["plans"]
    wrong.unless(len(plans) <= answer["evaluated"] <= answer["enumerated"], "what is shown was looked at")
    wrong.unless(plans[0]["behind_percent"] == 0, "the best is behind none")
    for plan, later in zip(plans, plans[1:]):
        wrong.unless(plan["behind_percent"] <= later["behind_percent"] + 1e-9, "the best stand first")
    for plan in plans:
        check_layout(plan, wrong)
        wrong.unless(f"gpus: {plan['gpus']}, tp: {plan['tp']}" in plan["layout_keys"], "keys say the layout")
        wrong.unless(plan["memory_percent"] <= 100, "what is shown fits")
        tokens = plan["micro_batch"] * plan["micro_batches"] * plan["dp"] * answer["sequence"]
        wrong.unless(close(number(plan["tokens_per_s"]) * number(plan["step_time"]), tokens, 1e-6),
                     "tokens of a step, over its time, are the rate")


def laws_of_plan(answer, wrong):
    wrong.unless(answer["decision"] in DECISIONS, f"decision '{answer['decision']}'")
    for option in answer["options"]:
        wrong.unless(option["kind"] in KINDS, f"a way to pay is '{option['kind']}'")
    for lever in answer["levers"]:
        wrong.unless(lever["edits"] and all("=" in each for each in lever["edits"]), "a lever is what --set takes")
    for flip in answer["flips"]:
        wrong.unless({"edit", "at", "from", "to"} <= set(flip), "a flip says what moves, from where and to what")
        wrong.unless({flip["from"], flip["to"]} <= DECISIONS and flip["from"] != flip["to"], f"{flip} is no flip")
    months = [number(each["per_month"]) for each in answer["options"]]
    wrong.unless(months == sorted(months), "the cheapest way stands first")
    if answer["work"] != "train":
        return
    check_layout(answer["training_layout"], wrong)
    spent = number(answer["whole_run"]["useful_time"]) * 100 + sum(
        each["percent"] for each in answer["whole_run"]["losses"])
    wrong.unless(close(spent, 100, 1e-6), f"useful time and losses of the run are {spent} %")


def laws_of_cost(answer, wrong):
    options = answer["options"]
    wrong.unless(close(sum(each["wins_pct"] for each in options), 100, 1e-6), "each draw has one cheapest way")
    months = [number(each["per_month"]) for each in options]
    wrong.unless(months == sorted(months), "the cheapest stand first")
    tokens = number(answer["tokens_per_month"]) / 1e6
    for each in options:
        wrong.unless(each["kind"] in KINDS, f"a way to pay is '{each['kind']}'")
        wrong.unless(close(number(each["per_mtoken"]) * tokens, number(each["per_month"]), 1e-6),
                     f"{each['name']}: a month over its tokens is their price")
    lines = answer["bill"]["lines"]
    wrong.unless(close(sum(number(each["per_month"]) for each in lines if each["depth"] == 0),
                       number(answer["bill"]["total"])), "lines of the bill are the bill")
    for i, line in enumerate(lines):
        parts = []
        for later in lines[i + 1:]:
            if later["depth"] <= line["depth"]:
                break
            parts.append(number(later["per_month"]))
        wrong.unless(not parts or close(sum(parts), number(line["per_month"])), f"parts of '{line['name']}' are it")
    own = next(each for each in options if each["kind"] == "own")
    wrong.unless(close(number(answer["bill"]["total"]), number(own["per_month"]), 1e-6), "the bill is that of owning")


def laws_of_demand(answer, wrong):
    wrong.unless(close(number(answer["mean_rate"]) / number(answer["peak_rate"]), number(answer["mean_to_peak"])),
                 "the mean over the peak")
    wrong.unless(answer["import"]["rows_used"] + sum(answer["import"]["rows_dropped"].values())
                 == answer["import"]["rows_read"], "each row is used or dropped")


def laws_of_audit(answer, wrong):
    for each in answer["findings"]:
        wrong.unless(each["severity"] in {"error", "caution", "none"}, f"severity '{each['severity']}'")
        wrong.unless(each["verdict"] in {"consistent", "unsupported", "inconsistent"}, f"verdict '{each['verdict']}'")
        stated, follows = each["stated"], each["follows"]
        if stated and follows and follows["value"] and each["relation"] != "agrees":
            wrong.unless(close(stated["value"] / follows["value"], each["ratio"], 1e-6), f"ratio of {each['rule']}")


LAWS = {"fit": laws_of_fit, "serve": laws_of_serve, "simulate": laws_of_simulate, "fill": laws_of_fill,
        "train": laws_of_train, "search": laws_of_search, "plan": laws_of_plan, "cost": laws_of_cost,
        "demand": laws_of_demand, "audit": laws_of_audit}


def asked(program, words, form):
    done = subprocess.run([program, *words, "--format", form, "--reproducible", "--quiet"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.returncode} {done.stderr}"
    return done.stdout


def main():
    program = sys.argv[1]
    wrong = Wrong()
    for verb, words, promised, table in CASES:
        wrong.verb = verb
        whole = json.loads(asked(program, words, "json"))
        wrong.unless(list(whole) == ENVELOPE, f"the envelope is {list(whole)}")
        wrong.unless("seconds" not in json.dumps(whole["provenance"]), "what may differ between runs is left out")
        for notice in whole["notices"]:
            wrong.unless({"id", "severity", "text"} <= set(notice), f"a notice is {list(notice)}")
        answer = whole["answer"]
        check_promises(answer, promised, wrong)
        check_quantities(answer, wrong)
        if verb in LAWS:
            LAWS[verb](answer, wrong)
        if verb != "emit":
            check_table(answer, table, asked(program, words, "csv"), wrong)
    print("\n".join(wrong.told[:50]))
    print(f"{wrong.checks} promises of {len(CASES)} verbs, {len(wrong.told)} broken")
    return 1 if wrong.told else 0


if __name__ == "__main__":
    sys.exit(main())
