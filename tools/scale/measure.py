#!/usr/bin/env python3
"""What a case costs, what sharing cases costs, and what a million of them would cost: the figures of docs/scale.md.

Usage: measure.py LOADFACTOR [LOADFACTOR_MPI] [--only cases|mixed|ranks|disk|model] [--mixed 10000] [--cases 3000]

Writes Markdown to stdout. `make scale` runs all of it; on a busy machine CPU seconds stay right and walls do not.
"""
import argparse
import contextlib
import csv
import os
import pathlib
import random
import re
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = HERE.parent.parent / "data" / "scenarios"
MPIRUN = os.environ.get("MPIRUN", "mpirun")
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

FIT = """sweep: 1
name: fits
verb: fit
options: {model: llama-3.1-8b, gpu: h100-sxm}
axes: [{key: --context, from: 1000, to: 100000, steps: %d, scale: log, whole: true}]
keep: {figures: {tokens: kv_tokens}}
"""
BY_VERB = {
    "fit": "verb: fit\noptions: {model: llama-3.1-8b, gpu: h100-sxm}\naxes: [{key: --context, from: 1000, to: 100000, steps: 40, scale: log, whole: true}]\n",
    "train": f"scenario: {SCENARIOS}/pretrain-70b-512.yaml\nverb: train\naxes: [{{key: train.global_batch, from: 256, to: 4096, times: 2}}, {{key: hardware, values: [[h100-sxm], [h200-sxm], [b200]]}}]\n",
    "train --search": f"scenario: {SCENARIOS}/pretrain-70b-512.yaml\nverb: train\noptions: {{search: true}}\naxes: [{{key: hardware, values: [[h100-sxm], [h200-sxm], [b200]]}}]\n",
    "serve": f"scenario: {SCENARIOS}/support-chat.yaml\nverb: serve\naxes: [{{key: serve.demand.tokens_in, from: 500, to: 4000, steps: 20}}]\n",
    "cost": f"scenario: {SCENARIOS}/support-chat.yaml\nverb: cost\noptions: {{draws: 256}}\naxes: [{{key: money.electricity, from: 0.05 USD/kWh, to: 0.3 USD/kWh, steps: 6}}]\n",
    "plan": f"scenario: {SCENARIOS}/support-chat.yaml\nverb: plan\noptions: {{draws: 64}}\naxes: [{{key: money.electricity, from: 0.05 USD/kWh, to: 0.3 USD/kWh, steps: 2}}]\n",
}


def run(words, **more):
    """Output, wall seconds and CPU seconds of a command with all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, **more)
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def query(path, sql):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def measure_cases(program, folder):
    print("| verb | cases | CPU seconds: median | mean | most | bytes of a row |\n|---|---|---|---|---|---|")
    means = {}
    for verb, body in BY_VERB.items():
        name = verb.replace(" ", "").replace("-", "")
        sweep, path = folder / f"{name}.yaml", folder / f"{name}.sqlite"
        sweep.write_text(f"sweep: 1\nname: {name}\n{body}")
        run([program, "sweep", str(sweep), "-o", str(path), "--jobs", "1", "--quiet"])
        seconds = [row[0] for row in query(path, "select cpu_s from times")]
        size = path.stat().st_size / len(seconds)
        means[verb] = statistics.mean(seconds)
        print(f"| `{verb}` | {len(seconds)} | {statistics.median(seconds):.4g} | {means[verb]:.4g} | {max(seconds):.4g} | {size:.0f} |", flush=True)
    return means


def measure_mixed(program, folder, count):
    """Cases of four verbs in one sweep; the share of all CPU that is spent inside of cases."""
    chance = random.Random(1)
    verbs = ["fit"] * (count * 50 // 100) + ["serve"] * (count * 40 // 100) + ["train"] * (count * 9 // 100)
    verbs += ["plan"] * (count - len(verbs))
    chance.shuffle(verbs)
    lines = ["verb,scenario,serve.demand.tokens_in,train.global_batch"]
    for verb in verbs:
        tokens, batch = chance.randrange(200, 4000), chance.choice([256, 512, 1024])
        lines.append(f"train,mixed-train.yaml,,{batch}" if verb == "train" else f"{verb},mixed-serve.yaml,{tokens},")
    (folder / "mixed.csv").write_text("\n".join(lines) + "\n")
    (folder / "mixed-serve.yaml").write_text(
        "loadfactor: 1\nname: mixed\nserve:\n  model: llama-3.1-8b\n  demand: {requests_per_month: 10 K, tokens_in: 1500, tokens_out: 300}\n"
        "  deployment: {gpu: h100-sxm, tp: 1}\nhardware: [h100-sxm]\n")
    (folder / "mixed-train.yaml").write_text(
        "loadfactor: 1\nname: mixed\ntrain:\n  model: llama-3.1-8b\n  precision: bf16\n  tokens: 100 B\n  sequence: 4096\n"
        "  global_batch: 512\n  layout: {gpus: 64, tp: 2, pp: 1}\nhardware: [h100-sxm]\n")
    sweep, path = folder / "mixed.yaml", folder / "mixed.sqlite"
    sweep.write_text("sweep: 1\nname: mixed\ncases: mixed.csv\noptions: {plan: {draws: 64}}\n")
    text, wall, cpu = run([program, "sweep", str(sweep), "-o", str(path), "--jobs", "2"])
    # The CPU seconds of a case are those of its thread and of all that this starts; the whole is what the kernel counts of the process.
    inside = query(path, "select total(cpu_s) from times")[0][0]
    tally = query(path, "select status, count(*) from cases group by 1")
    by_verb = query(path, "select verb, count(*), avg(cpu_s) from cases join times using (case_number) group by 1 order by 1")
    print(f"{count} cases ({', '.join(f'{n} {verb} of {each:.3g} s' for verb, n, each in by_verb)}; {dict(tally)}): {wall:.1f} s on two threads, "
          f"{cpu:.1f} s of CPU from start to end, {100 * inside / cpu:.1f} % of it inside of cases; {path.stat().st_size / count:.0f} bytes a case", flush=True)


def measure_ranks(program, mpi, folder, cases):
    """The same short cases on 1 to 8 ranks that share this machine's cores: what a rank and a case add."""
    sweep = folder / "ranks.yaml"
    sweep.write_text(FIT % cases)
    _, wall, cpu = run([program, "sweep", str(sweep), "-o", str(folder / "base.sqlite"), "--jobs", "1", "--quiet"])
    inside = query(folder / "base.sqlite", "select total(cpu_s) from times")[0][0]
    print(f"| ranks | wall, s | CPU, s | CPU beside cases, s | cases |\n|---|---|---|---|---|\n| one process | {wall:.2f} | {cpu:.2f} | {cpu - inside:.2f} | {cases} |")
    points = []
    for ranks in (1, 2, 4, 8):
        path = folder / f"ranks{ranks}.sqlite"
        _, wall, cpu = run([MPIRUN, "--oversubscribe", "-n", str(ranks), mpi, "sweep", str(sweep), "-o", str(path), "--quiet"], env=ENVIRONMENT)
        inside = query(path, "select total(cpu_s) from times")[0][0]
        points.append((ranks, cpu - inside))
        print(f"| {ranks} | {wall:.2f} | {cpu:.2f} | {cpu - inside:.2f} | {query(path, 'select count(*) from cases')[0][0]} |", flush=True)
    x, y = [p[0] for p in points], [p[1] for p in points]
    slope = sum((a - statistics.mean(x)) * (b - statistics.mean(y)) for a, b in points) / sum((a - statistics.mean(x)) ** 2 for a in x)
    base = statistics.mean(y) - slope * statistics.mean(x)
    per_case = max(base, 0) / cases
    print(f"Fitted: {base:.2f} s + {slope:.2f} s for each rank, so at most {1e6 * per_case:.0f} µs of rank 0 for a case.")
    return slope, per_case


def measure_disk(program, folder, cases):
    """A shared file system that answers late: the thread that writes waits, cases do not."""
    library = folder / "slow_disk.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(HERE / "slow_disk.c"), "-ldl"], check=True)
    sweep = folder / "disk.yaml"
    sweep.write_text(FIT % cases)
    print("| latency, ms | waits for the disk | at most, s | wall, s |\n|---|---|---|---|")
    for latency in (0, 1, 10, 100):
        path = folder / f"disk{latency}.sqlite"
        text, wall, _ = run([program, "sweep", str(sweep), "-o", str(path), "--jobs", "2", "--quiet"],
                            env={**os.environ, "LD_PRELOAD": str(library), "LF_DISK_MS": str(latency)})
        waits = int(re.search(r"waits for the disk: ([0-9]+)", text).group(1))
        print(f"| {latency} | {waits} | {waits * latency / 1000:.2f} | {wall:.2f} |", flush=True)


def cheapest_rent():
    """The least on-demand price in the catalogue: a small GPU's, which comes with the cores that cases need."""
    with open(HERE.parent.parent / "data" / "prices" / "rent.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["term"] == "on-demand"]
    return min(rows, key=lambda row: float(row["usd_per_gpu_hour"]))


def measure_merge(program, folder):
    """Seconds that merging takes for a case."""
    sweep = folder / "merge.yaml"
    sweep.write_text(FIT % 4000)
    parts = [folder / f"merge{i}.sqlite" for i in range(4)]
    for i, part in enumerate(parts):
        run([program, "sweep", str(sweep), "--shard", f"{i}/4", "-o", str(part), "--jobs", "1", "--quiet"])
    _, _, cpu = run([program, "merge", *map(str, parts), "-o", str(folder / "merged.sqlite")])
    print(f"Merging 4,000 cases of 4 shards: {cpu:.2f} s of CPU, {1e6 * cpu / 4000:.0f} µs a case.", flush=True)
    return cpu / 4000


def model(means, rank_s, per_case_s, merge_s):
    """10^6 cases on 10^3 nodes of 16 cores: who waits for whom, and what it costs."""
    nodes, cores, cases = 1000, 16, 1_000_000
    rent = cheapest_rent()
    price = float(rent["usd_per_gpu_hour"])
    print(f"{cases:,} cases on {nodes:,} nodes of {cores} cores; a node for {price} USD/h (the least on-demand price of the catalogue: "
          f"{rent['accelerator']} at {rent['provider']}, {rent['as_of']}).\n")
    print("| verb | CPU-hours | nodes work, s | rank 0 serves, s | shards merge, s | with MPI, s | with shards, s | bound by | USD |\n|---|---|---|---|---|---|---|---|---|")
    for verb, each in means.items():
        work, queue, merge = cases * each / (nodes * cores), cases * per_case_s, cases * merge_s
        ranks, shards = rank_s + max(work, queue), work + merge
        best = min(ranks, shards)
        bound = "cases" if work > 0.5 * best else "rank 0" if ranks < shards else "merging"
        print(f"| `{verb}` | {cases * each / 3600:,.1f} | {work:,.1f} | {queue:,.0f} | {merge:,.0f} | {ranks:,.0f} | {shards:,.0f} | {bound} | {nodes * price * best / 3600:,.2f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("mpi", nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--mixed", type=int, default=10000)
    parser.add_argument("--cases", type=int, default=3000)
    ask = parser.parse_args()
    program = str(pathlib.Path(ask.program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        means, rank = {}, (0.05, 1e-4)
        if ask.only in ("", "cases", "model"):
            means = measure_cases(program, folder)
        if ask.only in ("", "mixed"):
            measure_mixed(program, folder, ask.mixed)
        if ask.mpi and ask.only in ("", "ranks", "model"):
            rank = measure_ranks(program, str(pathlib.Path(ask.mpi).resolve()), folder, ask.cases)
        if ask.only in ("", "disk"):
            measure_disk(program, folder, ask.cases)
        if means and ask.only in ("", "model"):
            model(means, *rank, measure_merge(program, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
