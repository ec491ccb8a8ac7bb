"""What a batch is worth: tokens per second and dollars per million, measured beside predicted.

batch_lesson.py MEASURED.csv [--gpu NAME] [--dollars-per-hour N] [--loadfactor PROGRAM]
batch_lesson.py --model NAME [--gpu NAME] [--context N] ...

MEASURED.csv is what `steps.py batch MEASURED.csv MODEL` wrote on a machine with the accelerator;
the predictions beside it come from `loadfactor validate --steps`, for that model and that GPU.
With --model and no file the predictions stand alone. --predictions FILE takes them from a file
that was written before measuring (columns phase, model, batch, length, predicted_s) instead.
"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

COLUMNS = ["model", "precision", "phase", "batch", "tokens_in", "kv_len", "seconds", "mode"]
BATCHES = [2**i for i in range(9)]


class Refusal(Exception):
    """What is wrong with the input, in a sentence."""


def number(row, column, line, kind=float):
    text = (row.get(column) or "").strip()
    try:
        value = kind(text)
    except ValueError:
        raise Refusal(f"line {line}: '{text}' in column '{column}' is no number") from None
    if not 0 < value < 1e12:
        raise Refusal(f"line {line}: '{text}' in column '{column}' is not above 0")
    return value


def read_measured(path):
    """The decode steps of a file, smallest batch first; steps that failed are left out."""
    try:
        with open(path, newline="") as file:
            table = csv.DictReader(file)
            lacking = [c for c in ("model", "batch", "kv_len", "seconds") if c not in (table.fieldnames or [])]
            if lacking:
                raise Refusal(f"no column '{lacking[0]}': give what `steps.py batch` wrote")
            rows = [(table.line_num, row) for row in table]
    except (OSError, UnicodeDecodeError) as failure:
        raise Refusal(str(failure)) from None
    measured = []
    for line, row in rows:
        if (row.get("phase") or "decode") != "decode" or not (row["seconds"] or "").strip():
            continue
        measured.append({"model": row["model"], "mode": row.get("mode") or "", "precision": row.get("precision") or "bf16",
                         "batch": number(row, "batch", line, int), "kv_len": number(row, "kv_len", line, int),
                         "seconds": number(row, "seconds", line)})
    if not measured:
        raise Refusal("no decode step with a time: nothing was measured, or every step failed")
    if len({(r["model"], r["kv_len"], r["mode"]) for r in measured}) > 1:
        raise Refusal("steps of several models, contexts or modes: give one sweep at a time")
    return sorted(measured, key=lambda row: row["batch"])


def program(named):
    """The program to ask: the one named, one in this tree, or one on the path."""
    if named:
        found = shutil.which(named)
        if not found:
            raise Refusal(f"cannot run '{named}'")
        return found
    root = pathlib.Path(__file__).resolve().parents[2]
    built = [root / "build" / preset / "loadfactor" for preset in ("release", "dev")]
    found = next((str(path) for path in built if os.access(path, os.X_OK)), shutil.which("loadfactor"))
    if not found:
        raise Refusal("no program to predict with: build it, or name it with --loadfactor")
    return found


def predict(rows, gpu, named):
    """Seconds of each row's step, by batch, as the program predicts them."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", delete=False) as file:
        table = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        table.writeheader()
        for row in rows:
            # A prediction alone is asked for with a time that plays no part in it.
            table.writerow({**row, "phase": "decode", "tokens_in": row["batch"], "seconds": row.get("seconds", 1)})
    try:
        command = [program(named), "validate", "--steps", file.name, "--format", "json"] + (["--gpu", gpu] if gpu else [])
        run = subprocess.run(command, capture_output=True, text=True)
    finally:
        os.unlink(file.name)
    if run.returncode:
        said = run.stderr.strip().replace(file.name, "the steps").splitlines() or ["nothing"]
        raise Refusal("the program says: " + "\n".join(said[:2]))
    answer = json.loads(run.stdout)["answer"]
    if not answer["predictions"]:
        raise Refusal("none of the steps can be predicted: " + "; ".join({s["reason"] for s in answer["skipped"]}))
    by_id = {p["id"]: p["predicted"] for p in answer["predictions"] if p["metric"] == "decode"}
    return {row["batch"]: by_id[f"row-{i}"] for i, row in enumerate(rows, 1) if f"row-{i}" in by_id}


def read_predictions(path, rows):
    """The same from a file that was written before measuring."""
    try:
        with open(path, newline="") as file:
            said = {(r["model"], int(r["batch"]), int(r["length"])): float(r["predicted_s"])
                    for r in csv.DictReader(file) if r["phase"] == "decode"}
    except (OSError, KeyError, ValueError) as failure:
        raise Refusal(f"{path}: {failure!r} is no prediction") from None
    found = {row["batch"]: said.get((row["model"], row["batch"], row["kv_len"])) for row in rows}
    return {batch: seconds for batch, seconds in found.items() if seconds}


def show(rows, predicted, options):
    """One line per batch; what was not measured is priced by its prediction."""
    dollars = options.dollars_per_hour
    of = lambda row: row.get("seconds") or predicted.get(row["batch"])
    first = of(rows[0]) / rows[0]["batch"]
    head = [rows[0]["model"], f"context {rows[0]['kv_len']}", rows[0]["mode"], f"${dollars:.2f} an hour"]
    print(", ".join(word for word in head if word))
    measured = "seconds" in rows[0]
    print(f"{'batch':>5} {'ms/step' if measured else 'predicted ms':>12} {'tok/s':>8} {'times':>6} {'$/M tokens':>11}"
          + (f" {'predicted ms':>13} {'off':>7}" if measured else ""))
    for row in rows:
        seconds, said = of(row), predicted.get(row["batch"])
        if not seconds:
            continue
        rate = row["batch"] / seconds
        print(f"{row['batch']:5} {1e3 * seconds:12.2f} {rate:8.0f} {rate * first:6.1f} {dollars / 3600 / rate * 1e6:11.3f}"
              + (f" {1e3 * said:13.2f} {100 * (said / seconds - 1):+6.1f} %" if measured and said else ""))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("measured", nargs="?")
    arguments.add_argument("--model", help="predict this model alone")
    arguments.add_argument("--context", type=int, default=1024, help="tokens each sequence has, with --model")
    arguments.add_argument("--gpu", default="", help="catalogue name of the accelerator; h200-sxm if left out")
    arguments.add_argument("--predictions", help="take them from this file instead of asking the program")
    arguments.add_argument("--dollars-per-hour", type=float, default=3.5)
    arguments.add_argument("--loadfactor", default="", help="the program to ask")
    options = arguments.parse_args()
    try:
        if bool(options.measured) == bool(options.model):
            raise Refusal("give what was measured, or --model for predictions alone")
        if options.dollars_per_hour <= 0 or options.context <= 0:
            raise Refusal("a price and a context are above 0")
        if options.measured:
            rows = read_measured(options.measured)
        else:
            rows = [{"model": options.model, "mode": "cuda_graph_compiled", "precision": "bf16", "batch": batch,
                     "kv_len": options.context} for batch in BATCHES]
        predicted = (read_predictions(options.predictions, rows) if options.predictions
                     else predict(rows, options.gpu, options.loadfactor))
        show(rows, predicted, options)
    except Refusal as refusal:
        print(f"batch_lesson.py: {options.measured or options.model or ''}{': ' if options.measured or options.model else ''}"
              f"{refusal}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
