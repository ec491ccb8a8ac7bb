#!/usr/bin/env python3
"""Keeps tests/golden/workloads.csv, the headline figures of post-training and of models that are no
decoders, and checks the laws that such answers obey, so that no golden certifies a mistake.

Usage: workload_golden.py check|update PROGRAM
"""
import csv
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden/workloads.csv"
TRAINED = ["grpo-8b", "grpo-70b", "dpo-8b", "distillation-8b", "lora-8b-one-card"]
SERVED = ["embed-documents", "rerank-passages", "transcribe-calls", "vision-chat"]
TOLERANCE = 1e-6


def ask(program, verb, name):
    run = subprocess.run([program, verb, f"data/scenarios/{name}.yaml", "--format", "json",
                          "--reproducible", "--quiet"], capture_output=True, text=True, cwd=ROOT,
                         check=False)
    if run.returncode != 0:
        sys.exit(f"{verb} {name}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)["answer"]


def figures_of_run(answer):
    method = answer.get("method")
    yield "step", (method or answer)["step_time"]
    yield "trainer", answer["step_time"]
    yield "duration", answer["duration"]
    yield "cost", answer["cost"]
    if method:
        for phase in method["phases"]:
            yield phase["name"], phase["time"]
        yield "beside", method["beside"]


def figures_of_service(answer):
    for name in ("saturated_requests", "utilisation", "mfu"):
        yield name, answer[name]
    for name in ("ttft", "latency"):
        yield name, answer[name]["mean"]


def broken_laws(name, answer, figures):
    for what, figure in figures:
        value = figure["value"]
        if not figure.get("low", value) <= value <= figure.get("high", value):
            yield f"{name}: the interval of {what} holds it"
        if not math.isfinite(value) or value < 0:
            yield f"{name}: {what} is a quantity"
    if answer.get("mfu") and not 0 < answer["mfu"]["value"] < 1:
        yield f"{name}: no run is faster than its chips"
    method = answer.get("method")
    if not method:
        return
    phases = sum(p["time"]["value"] for p in method["phases"] if not p["beside"])
    if method["off_policy"] == 0 and not math.isclose(method["step_time"]["value"], phases,
                                                      rel_tol=1e-6):
        yield f"{name}: a synchronous step is the sum of its phases"
    if not math.isclose(method["idle_percent"],
                        method["idle_tail_percent"] + method["idle_pool_percent"], abs_tol=1e-6):
        yield f"{name}: idle time is the sum of its parts"
    if any(s["step_time"]["value"] < method["step_time"]["value"] * (1 - 1e-9)
           for s in method["splits"]):
        yield f"{name}: no share that was tried is better"


def asked(program):
    rows, broken = [], []
    for verb, names, figures_of in (("train", TRAINED, figures_of_run),
                                    ("serve", SERVED, figures_of_service)):
        for name in names:
            answer = ask(program, verb, name)
            figures = list(figures_of(answer))
            broken += broken_laws(name, answer, figures)
            rows += [[name, what, f"{figure['value']:.6g}", figure["unit"]]
                     for what, figure in figures]
    return rows, broken


def differences(rows):
    with GOLDEN.open(newline="") as file:
        golden = list(csv.reader(file))[1:]
    known = {(name, what): (value, unit) for name, what, value, unit in golden}
    for name, what, value, unit in rows:
        before = known.pop((name, what), None)
        if before is None:
            yield f"{name} {what}: {value} {unit} is new"
        elif before[1] != unit or not math.isclose(float(before[0]), float(value),
                                                   rel_tol=TOLERANCE):
            yield f"{name} {what}: {value} {unit}, was {before[0]} {before[1]}"
    for name, what in known:
        yield f"{name} {what}: is gone"


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "update"):
        sys.exit(__doc__)
    rows, broken = asked(pathlib.Path(sys.argv[2]).resolve())
    if sys.argv[1] == "update":
        with GOLDEN.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["scenario", "figure", "value", "unit"])
            writer.writerows(rows)
    problems = broken + (list(differences(rows)) if sys.argv[1] == "check" else [])
    for problem in problems:
        print(problem)
    print(f"{len(rows)} figures of {len(TRAINED) + len(SERVED)} scenarios, "
          f"{len(problems)} differ or break a law")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
