#!/usr/bin/env python3
"""Is this tree slower than another commit? Builds both, runs them in turn, fails above +5 % at 95 %.

    compare.py BASE [--rounds 8] [--only WORDS] [--limit 1.05] [--jobs N] [--write FILE]
    compare.py --programs BEFORE AFTER [...]     two builds that are there: folders with `loadfactor`

Measured are the programs of bench/ that both builds have, and whole processes of the verbs that people
wait for. A round runs each of them once in both builds, in a random order, so that what disturbs the
machine disturbs both. Times are CPU seconds: of a process with its threads, or as a benchmark counts
them. A row is slower where its ratio is above the limit with 95 % confidence. Exit status 1: one is.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ratio import Ratio, ratio_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENARIOS = ROOT / "data" / "scenarios"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
PLANS = ("support-chat", "chatbot-spiky", "coding-assistant", "batch-inference", "embed-documents", "vision-chat",
         "rerank-passages", "transcribe-calls", "finetune-8b")
CACHE = ("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",) if shutil.which("ccache") else ()
BUILD = ("-DBUILD_TESTING=OFF", "-DLF_UNITY=ON", "-DLF_BENCH=ON", *CACHE)


class Broken(Exception):
    """A program that gives no measurement."""


@dataclasses.dataclass
class Row:
    name: str
    before: float  # Seconds, the least of all rounds.
    after: float
    ratio: Ratio


def cpu_seconds(words):
    """Of one process with everything that it waited for."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 3):  # 3: no feasible answer, which is one.
            said.seek(0)
            text = said.read().decode(errors="replace")[-500:]
            raise Broken(f"{' '.join(map(str, words))}: status {process.returncode}\n{text}")
    return used.ru_utime + used.ru_stime


def read_benchmarks(text):
    return {row["name"]: row["cpu_time"] * UNITS[row["time_unit"]]
            for row in json.loads(text)["benchmarks"] if row.get("run_type") != "aggregate"}


def run_benchmarks(program):
    words = [program, "--benchmark_format=json", "--benchmark_min_time=0.2"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Broken(f"{program}: status {done.returncode}\n{done.stderr[-500:]}")
    return {f"{pathlib.Path(program).name}: {name}": seconds
            for name, seconds in read_benchmarks(done.stdout).items()}


def times_of(name, program):
    """Seconds by name: a benchmark has many rows, a process one."""
    if isinstance(program, list):
        return {name: cpu_seconds(program)}
    return run_benchmarks(program)


def measure(works, rounds, seed=1, tell=lambda text: None):
    """`works`: name → (before, after), each the words of a process or the path of a benchmark."""
    draw = random.Random(seed)
    series = {}  # Name → (seconds before, seconds after), one of each a round.
    for number in range(rounds + 1):
        tell(f"round {number} of {rounds}" if number else "a round that does not count")
        order = list(works.items())
        draw.shuffle(order)
        for name, pair in order:
            sides = [0, 1]
            draw.shuffle(sides)
            found = {side: times_of(name, pair[side]) for side in sides}
            for row in found[0].keys() & found[1].keys() if number else ():
                before, after = series.setdefault(row, ([], []))
                before.append(found[0][row])
                after.append(found[1][row])
    return [Row(name, min(before), min(after), ratio_of(before, after))
            for name, (before, after) in sorted(series.items())]


def processes(program):
    """The verbs that people wait for."""
    plan = {f"plan {name}": [program, "plan", SCENARIOS / f"{name}.yaml", "--format", "json"] for name in PLANS}
    weeks = {"coding-assistant": SCENARIOS / "coding-assistant.yaml",
             "ten-million": pathlib.Path(__file__).resolve().parent / "ten-million.yaml"}
    search = {f"serve --search {name}": [program, "serve", path, "--search", "--format", "json"]
              for name, path in weeks.items()}
    fit = {"fit": [program, "fit", "llama-3.1-8b", "--gpu", "h100-sxm", "--format", "json"]}
    return {**fit, **plan, **search}


def works_of(before, after):
    old, new = (processes(folder / "loadfactor") for folder in (before, after))
    works = {name: ([str(word) for word in old[name]], [str(word) for word in new[name]]) for name in new}
    for program in sorted(after.glob("*_bench")):
        if (before / program.name).exists():
            works[program.name] = (str(before / program.name), str(program))
    return works


def build(source, jobs):
    """A release with its benchmarks; the folder of its programs."""
    folder = source / "build" / "bench-compare"
    steps = (["cmake", "--preset", "release", "-B", str(folder), *BUILD],
             ["cmake", "--build", str(folder), "-j", str(jobs)])
    for words in steps:
        done = subprocess.run(words, cwd=source, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Broken(f"{' '.join(words)}\n{(done.stdout + done.stderr)[-2000:]}")
    return folder


def with_base(base, jobs, work):
    """Builds a commit in a worktree that is gone afterwards, and this tree; calls `work` with both."""
    with tempfile.TemporaryDirectory(prefix="loadfactor-base-") as folder:
        tree = pathlib.Path(folder) / "tree"
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", "--quiet", tree, base], check=True)
        try:
            return work(build(tree, jobs), build(ROOT, jobs))
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=False)


def seconds_text(seconds):
    for unit in ("s", "ms", "us"):
        if seconds >= UNITS[unit]:
            return f"{seconds / UNITS[unit]:.3g} {unit}"
    return f"{seconds / UNITS['ns']:.3g} ns"


def verdict(ratio, limit):
    if ratio.is_above(limit):
        return "slower"
    return "faster" if ratio.high < 1 else ""


def show(rows, limit):
    lines = ["| work | before | after | ratio | 95 % | |", "|---|--:|--:|--:|--:|---|"]
    lines += [f"| {row.name} | {seconds_text(row.before)} | {seconds_text(row.after)} | {row.ratio.middle:.3f} "
              f"| {row.ratio.low:.3f} to {row.ratio.high:.3f} | {verdict(row.ratio, limit)} |" for row in rows]
    return "\n".join(lines)


def report(before, after, options):
    works = works_of(before, after)
    works = {name: pair for name, pair in works.items() if options.only in name}
    if not works:
        raise Broken(f"nothing is called '{options.only}'")
    rows = measure(works, options.rounds, tell=lambda text: print(text, file=sys.stderr, flush=True))
    print(show(rows, options.limit))
    if options.write:
        options.write.write_text(json.dumps([dataclasses.asdict(row) for row in rows], indent=1) + "\n")
    slower = [row.name for row in rows if row.ratio.is_above(options.limit)]
    print(f"\n{len(rows)} compared in {options.rounds} rounds; above {options.limit} with 95 % confidence: "
          f"{', '.join(slower) if slower else 'none'}")
    return 1 if slower else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?", help="a commit")
    parser.add_argument("--programs", nargs=2, type=pathlib.Path, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", default="", help="rows whose name has these words")
    parser.add_argument("--limit", type=float, default=1.05)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", type=pathlib.Path, help="the rows as JSON")
    options = parser.parse_args()
    if bool(options.base) == bool(options.programs) or options.rounds < 2:
        parser.error("give a commit or --programs, and two rounds or more")
    try:
        if options.programs:
            return report(*(folder.resolve() for folder in options.programs), options)
        return with_base(options.base, options.jobs, lambda old, new: report(old, new, options))
    except Broken as broken:
        print(f"compare.py: {broken}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
