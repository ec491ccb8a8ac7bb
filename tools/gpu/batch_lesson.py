"""What a batch is worth: tokens per second and dollars per million, measured beside predicted.

batch_lesson.py MEASURED.csv [--predictions FILE] [--dollars-per-hour N]
MEASURED.csv is what `steps.py batch` wrote.
"""

import argparse
import csv
import pathlib

HERE = pathlib.Path(__file__).parent


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("measured")
    arguments.add_argument("--predictions", default=HERE / "predictions.csv")
    arguments.add_argument("--dollars-per-hour", type=float, default=3.5)
    options = arguments.parse_args()
    with open(options.predictions) as file:
        predicted = {(r["model"], int(r["batch"]), int(r["length"])): float(r["predicted_s"])
                     for r in csv.DictReader(file) if r["phase"] == "decode"}
    with open(options.measured) as file:
        rows = [r for r in csv.DictReader(file) if r["seconds"]]
    first = float(rows[0]["seconds"]) / int(rows[0]["batch"])
    print(f"{rows[0]['model']}, context {rows[0]['kv_len']}, {rows[0]['mode']}, ${options.dollars_per_hour:.2f} an hour")
    print(f"{'batch':>5} {'ms/step':>8} {'tok/s':>8} {'times':>6} {'$/M tokens':>11} {'predicted ms':>13} {'off':>7}")
    for row in rows:
        batch, seconds = int(row["batch"]), float(row["seconds"])
        said = predicted.get((row["model"], batch, int(row["kv_len"])))
        rate = batch / seconds
        print(f"{batch:5} {1e3 * seconds:8.2f} {rate:8.0f} {rate * first:6.1f}"
              f" {options.dollars_per_hour / 3600 / rate * 1e6:11.3f}"
              + (f" {1e3 * said:13.2f} {100 * (said / seconds - 1):+6.1f} %" if said else ""))


if __name__ == "__main__":
    main()
