#!/usr/bin/env python3
"""A sweep as an array of a real Slurm: the same rows as one process, though elements are killed on their way.

Usage: slurm_array_test.py LOADFACTOR       with SLURM_CONF of a running cluster
"""
import contextlib
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

SWEEP = """sweep: 1
name: array
verb: fit
options: {model: llama-3.1-8b}
axes:
  - {key: --gpu, values: [h100-sxm, h200-sxm, l40s, no-such-chip]}
  - {key: --context, from: 1000, to: 100000, steps: 100, scale: log, whole: true}
keep: {answer: true}
"""
SHARDS = 8


def rows(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("select * from cases order by 1").fetchall()


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def elements():
    """Elements of the array that run, as Slurm numbers them."""
    return run("squeue", "--noheader", "--array", "--states=RUNNING", "--name=array", "--format=%i").split()


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    chance = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: str(pathlib.Path(folder) / name)
        pathlib.Path(at("s.yaml")).write_text(SWEEP, encoding="utf-8")
        run(program, "sweep", at("s.yaml"), "-o", at("one.sqlite"), "--jobs", "1", "--quiet")
        expected = rows(at("one.sqlite"))
        words = [program, "sweep", at("s.yaml"), "-o", at("array.sqlite"), "--submit", "slurm", "--shards", str(SHARDS), "--tries", "8"]
        printed = run(*words, "--dry-run")
        assert f"#SBATCH --array=0-{SHARDS - 1}" in printed and not pathlib.Path(at("array.sqlite.slurm")).exists()
        killed, requeued = 0, 0
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
            end = time.monotonic() + 6
            while time.monotonic() < end and job.poll() is None:
                time.sleep(0.2)
                there = elements()
                if not there:
                    continue
                if chance.random() < 0.5:
                    killed += subprocess.run(["scancel", "--signal=KILL", "--full", chance.choice(there)], capture_output=True).returncode == 0
                else:
                    requeued += subprocess.run(["scontrol", "requeue", chance.choice(there)], capture_output=True).returncode == 0
            text = job.communicate(timeout=300)[0]
            assert job.returncode == 0, text
        assert rows(at("array.sqlite")) == expected, "the array's rows differ"
        again = run(*words)
        assert "submitted" not in again, "what is done was submitted again"
        logs = len(list(pathlib.Path(at("array.sqlite.slurm")).glob("shard-*.log")))
        print(f"{len(expected)} cases in {SHARDS} elements ({logs} logs), {killed} killed, {requeued} requeued, "
              f"{text.count('submitted')} submissions: the same rows as one process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
