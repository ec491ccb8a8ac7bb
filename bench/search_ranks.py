#!/usr/bin/env python3
"""What a second MPI rank is worth to one search: wall seconds of two ranks over those of one, each on a core of its own.

Usage: search_ranks.py LOADFACTOR_MPI [--only train|serve] [--rounds 3] [--most 0.6]

One rank and two are run in turn and compared by their medians, so that a neighbour disturbs both. CPU seconds of
each rank tell what is done by all of them instead of by one. Ends with 1 where answers differ, or where a ratio
is above --most. Walls count from `mpirun` on, and only those of an idle machine with two cores are worth quoting.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SCENARIOS = pathlib.Path(__file__).resolve().parent.parent / "data" / "scenarios"
SEARCHES = {
    "train": ["train", f"{SCENARIOS}/pretrain-500b-30-days.yaml", "--search", "--exhaustive", "--threads", "1"],
    "serve": ["serve", f"{SCENARIOS}/support-chat.yaml", "--search"],
}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
MPIRUN = os.environ.get("MPIRUN", "mpirun")


def be_rank(folder, words):
    """Runs as one rank and writes down its CPU seconds."""
    status = subprocess.run(words).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    pathlib.Path(folder, os.environ["OMPI_COMM_WORLD_RANK"]).write_text(str(used.ru_utime + used.ru_stime))
    return status


def run(ranks, program, words):
    """The answer, the wall seconds, and the CPU seconds of each rank."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        done = subprocess.run([MPIRUN, "--bind-to", "core", "-n", str(ranks), sys.executable, __file__, "--rank", folder,
                               program, *words, "--format", "json", "--reproducible", "--quiet"],
                              stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, check=True)
        wall = time.monotonic() - began
        cpu = [float(path.read_text()) for path in sorted(pathlib.Path(folder).iterdir())]
    return done.stdout, wall, cpu


def compare(name, program, rounds):
    """Prints one row; the ratio of the walls."""
    walls, cpus = {1: [], 2: []}, {1: [], 2: []}
    answers = set()
    for _ in range(rounds):
        for ranks in (1, 2):
            answer, wall, cpu = run(ranks, program, SEARCHES[name])
            answers.add(answer)
            walls[ranks].append(wall)
            cpus[ranks].append(cpu)
    assert len(answers) == 1, f"{name}: two ranks find another answer"
    one, two = (statistics.median(walls[ranks]) for ranks in (1, 2))
    alone = statistics.median(sum(cpu) for cpu in cpus[1])
    each = [statistics.median(cpu[rank] for cpu in cpus[2]) for rank in (0, 1)]
    print(f"| `{name} --search` | {one:.1f} | {two:.1f} | {two / one:.2f} | {alone:.1f} | {each[0]:.1f} and {each[1]:.1f} | {max(each) / alone:.2f} |", flush=True)
    return two / one


def main():
    if sys.argv[1:2] == ["--rank"]:
        return be_rank(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", choices=SEARCHES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=float, help="a larger ratio of the walls is a failure")
    arguments = parser.parse_args()
    print("| search | one rank: wall, s | two: wall, s | ratio | one rank: CPU, s | two: CPU of each, s | ratio of the longer |\n|---|---|---|---|---|---|---|")
    ratios = [compare(name, str(pathlib.Path(arguments.program).resolve()), arguments.rounds)
              for name in SEARCHES if arguments.only in (None, name)]
    return 1 if arguments.most and max(ratios) > arguments.most else 0


if __name__ == "__main__":
    sys.exit(main())
