#!/usr/bin/env python3
"""Draws the serving results that ship from tables of published ones.

    tools/sample_serving.py --rows A.csv [B.csv …] [--weights W.csv] [--most 1900]

Writes data/published/serving.csv. The rows of every source, chip, engine, load and metric are one
stratum; strata get rows by the root of their number, one at least, taken at even steps through
their rows as sorted, so that the same tables give the same sample. A row that is drawn stands for its stratum: it
carries an equal part of its weight. Rows without a weight share one unit per source, model, chip
and metric. What remarks say of a run becomes columns, by the rules of data/published/remarks.csv;
remarks themselves are not carried over. Sources without a repository behind them are left out.
"""

import argparse
import collections
import csv
import math
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "data/published/serving.csv"
COLUMNS = ("id model accelerator gpus tp pp ep precision kv_precision engine engine_version year "
           "harness isl osl lengths load batch_or_concurrency request_rate prompts opening client "
           "tpot_of ttft_bound_ms tpot_bound_ms prefill_pool decode_pool cores_per_chip eager prefix_hits "
           "metric value weight source quality").split()
# Pages and blogs, whose texts are their authors'; results of repositories stay.
NO_REPOSITORY = ("https:", "lm-sys blog", "vllm blog")
HARNESSES = ("InferenceX", "MLPerf", "aiperf", "trtllm-bench", "gptSessionBenchmark",
             "bench_serving", "bench serve", "benchmark_throughput")
LONG = re.compile(r"prefill (\d+)x\(TP(\d+) DPattn(\d+) EP(\d+)\) "
                  r"decode (\d+)x\(TP(\d+) DPattn(\d+) EP(\d+)")
SHORT = re.compile(r"PD disaggregation (\d+)P:(\d+)D, TP(\d+)")
STAGES = ("--pp-size ", "-pp ", "--pipeline-parallel-size ", "--pp_size ", "--pp ")


def number(cell):
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def number_before(text, words):
    found = re.search(r"(\d+)" + re.escape(words), text)
    first = text.find(words)
    return found.group(1) if found and found.end(1) == first else None


def number_after(text, words):
    found = re.search(re.escape(words) + r"(\d[\d,]*)", text)
    return found.group(1).replace(",", "") if found else None


def percent_before(text, words):
    found = re.search(r"([\d.]+)" + re.escape(words), text)
    return f"{float(found.group(1)) / 100:g}" if found else None


def milliseconds_after(text, word):
    found = re.search(re.escape(word) + r"([\d.]+)(m?s)?", text)
    if not found:
        return ""
    return f"{float(found.group(1)) * (1000 if found.group(2) == 's' else 1):g}"


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def said(row, rules):
    """Columns that remarks give, the first rule that applies to each."""
    notes = row["notes"]
    tokens = (number(row["isl"]) or 0) + (number(row["osl"]) or 0)
    found = {}
    for rule in rules:
        words = rule["words"]
        if rule["column"] in found:
            continue
        if not (notes.startswith(words) if rule["at"] == "start" else words in notes):
            continue
        if rule["metric"] not in ("", row["metric"]):
            continue
        if rule["batch"] not in ("", row["batch_or_concurrency"]):
            continue
        if tokens < float(rule["least_tokens"] or 0) or tokens > float(rule["most_tokens"] or 1e12):
            continue
        value = {"number before": number_before,
                 "number after": number_after,
                 "percent before": percent_before}.get(rule["value"], lambda _n, _w: rule["value"])(notes, words)
        if value is not None:
            found[rule["column"]] = value
    return found


def load_of(row, found):
    rate, batch = row["request_rate"], number(row["batch_or_concurrency"])
    load = found.get("load")
    if load is None:
        if rate == "closed-loop":
            load = rate
        elif number(rate) is not None:
            load = "open-loop"
        elif "load_without_rate" in found:
            load = found["load_without_rate"]
        elif rate == "inf":
            load = "burst" if batch is not None else "offline"
        else:
            load = "static"
    if load == "burst" and batch and batch < float(found.get("prompts", 0)):
        load = "closed-loop"
    return load


def pools(notes):
    if found := LONG.search(notes):
        part = found.groups()
        return tuple("{}xTP{}.DP{}.EP{}".format(*four) for four in (part[:4], part[4:]))
    if found := SHORT.search(notes):
        first, second, tp = found.groups()
        return f"{first}xTP{tp}.DP1.EP1", f"{second}xTP{tp}.DP1.EP1"
    return "", ""


def set_length(notes, sets):
    return next((length for words, length in sets if words in notes), "")


def shipped(row, rules, sets):
    """The row in the columns of the sample."""
    notes = row["notes"]
    found = said(row, rules)
    out = {name: row.get(name, "") for name in COLUMNS}
    out["load"] = load_of(row, found)
    out["quality"] = row["source_quality"]
    out["harness"] = next((name for name in HARNESSES if name in notes), "")
    for name in ("lengths", "prompts", "opening", "client", "tpot_of", "cores_per_chip", "eager",
                 "prefix_hits"):
        out[name] = found.get(name, "")
    if found.get("bounds") == "kept":
        out["ttft_bound_ms"] = milliseconds_after(notes, "TTFT ")
        out["tpot_bound_ms"] = milliseconds_after(notes, "TPOT ")
    out["prefill_pool"], out["decode_pool"] = pools(notes)
    if not row["isl"]:
        out["isl"] = set_length(notes, sets)
    stages = next((s for flag in STAGES if (s := number_after(notes, flag))), None)
    if stages:
        pp = max(float(stages), number(row["pp"]) or 1)
        out["pp"] = f"{pp:g}"
        out["gpus"] = f"{max(number(row['gpus']) or 1, (number(row['tp']) or 1) * pp):g}"
    # A name of ours for what is kept of the source: the place without a remark in brackets.
    out["source"] = re.sub(r" [\[(].*", "", row["source"])
    return out


def origin(row):
    return row["id"].rsplit("-", 1)[0]


def weights_of(rows, given):
    cells = collections.Counter()
    def cell(row):
        return origin(row), row["model"], row["accelerator"], row["metric"]
    for row in rows:
        cells[cell(row)] += row["id"] not in given
    return {row["id"]: given.get(row["id"]) or 1 / cells[cell(row)] for row in rows}


def stratified(rows, weights, most):
    strata = collections.defaultdict(list)
    for row in rows:
        strata[(origin(row), row["accelerator"], row["engine"], row["load"], row["metric"])].append(row)
    roots = sum(math.sqrt(len(members)) for members in strata.values())
    drawn = []
    for key in sorted(strata):
        members = sorted(strata[key], key=lambda r: (
            r["model"], r["precision"], number(r["tp"]) or 0, number(r["isl"]) or 0,
            number(r["osl"]) or 0, number(r["batch_or_concurrency"]) or 0,
            number(r["request_rate"]) or 0, r["id"]))
        count = min(len(members), max(1, round(most * math.sqrt(len(members)) / roots)))
        share = sum(weights[row["id"]] for row in members) / count
        for i in range(count):
            row = members[int((i + 0.5) * len(members) / count)]
            drawn.append(dict(row, weight=f"{share:.6g}"))
    return sorted(drawn, key=lambda r: r["id"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", nargs="+", required=True)
    parser.add_argument("--weights")
    parser.add_argument("--most", type=int, default=1900, help="rows, about")
    parser.add_argument("-o", "--output", default=OUT)
    asked = parser.parse_args()
    rules = read(ROOT / "data/published/remarks.csv")
    text = (ROOT / "data/calibration/serving.yaml").read_text(encoding="utf-8")
    sets = re.findall(r'\{words: "([^"]+)", input: ([\d.]+)\}', text)
    rows = [row for path in asked.rows for row in read(path)
            if not row["source"].startswith(NO_REPOSITORY) and "pruned" not in row["source"]]
    given = {}
    if asked.weights:
        given = {row["id"]: float(row["weight"]) for row in read(asked.weights)}
    kept = [shipped(row, rules, sets) for row in rows]
    drawn = stratified(kept, weights_of(kept, given), asked.most)
    with open(asked.output, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(drawn)
    print(f"{len(drawn)} of {len(kept)} rows")


if __name__ == "__main__":
    main()
