#!/usr/bin/env python3
"""Sweeps and searches on MPI ranks: the same rows and the same plans as one process, whoever dies.

Usage: mpi_test.py LOADFACTOR LOADFACTOR_MPI [SCENARIOS]

Needs mpirun. Ranks share the cores that are there; times are printed and not judged, for the machine may be busy.
"""
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SWEEP = """sweep: 1
name: ranks
verb: fit
options: {model: llama-3.1-8b}
axes:
  - {key: --gpu, values: [h100-sxm, h200-sxm, l40s, no-such-chip]}
  - {key: --context, from: 1000, to: 100000, steps: %d, scale: log, whole: true}
keep: {answer: true}
"""
RUN = """loadfactor: 1
name: ranks
train:
  model: llama-3.1-8b
  precision: bf16
  tokens: 1 T
  sequence: 8192
  global_batch: 1024
hardware: [h100-sxm]
limits: {gpus: %d}
"""
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
MPIRUN = os.environ.get("MPIRUN", "mpirun")


def rows(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("select * from cases order by 1").fetchall()


def run(words, **more):
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, **more)
    assert done.returncode == 0, f"{' '.join(words)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, time.monotonic() - began


def ranks(count, program, *words):
    return [MPIRUN, "--oversubscribe", "-n", str(count), program, *words]


def children(pid):
    """Processes below one, by /proc."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid:
                found.append(int(entry.parent.name))
    return sorted(found)


def check_sweep(program, mpi, at):
    pathlib.Path(at("s.yaml")).write_text(SWEEP % 150, encoding="utf-8")
    _, one_s = run([program, "sweep", at("s.yaml"), "-o", at("one.sqlite"), "--jobs", "1", "--quiet"])
    expected = rows(at("one.sqlite"))
    assert len(expected) == 600
    parts = [at(f"part{i}.sqlite") for i in range(8)]
    for i, part in enumerate(parts):
        run([program, "sweep", at("s.yaml"), "--shard", f"{i}/8", "-o", part, "--jobs", "1", "--quiet"])
    random.Random(3).shuffle(parts)
    run([program, "merge", *parts, "-o", at("all.sqlite")])
    assert rows(at("all.sqlite")) == expected, "shards differ"
    print(f"sweep of {len(expected)}: 1 process {one_s:.2f} s; 8 shards merged: the same rows")
    for count in (1, 2, 4):
        path = at(f"mpi{count}.sqlite")
        _, seconds = run(ranks(count, mpi, "sweep", at("s.yaml"), "-o", path, "--quiet"))
        assert rows(path) == expected, f"{count} ranks differ"
        print(f"  {count} ranks {seconds:.2f} s: the same rows")
    return expected


def check_deaths(mpi, at, expected):
    """Ranks that are killed stop the job with a word; what is done is kept, and the same command goes on."""
    chance = random.Random(5)
    killed, told, before = 0, 0, 0
    path = at("killed.sqlite")
    words = ranks(4, mpi, "sweep", at("s.yaml"), "-o", path)
    while killed < 5:
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT) as job:
            time.sleep(chance.uniform(0.3, 1.5))
            members = children(job.pid)
            if members and job.poll() is None:
                os.kill(chance.choice(members), signal.SIGKILL)
                killed += 1
            text = job.communicate(timeout=120)[0]
            told += bool(re.search(r"signal 9|is gone|stopped: what is done is kept", text))
        found = len(rows(path)) if pathlib.Path(path).exists() and has_table(path) else 0
        assert found >= before, "a finished case is lost"
        before = found
        if found == len(expected):
            assert rows(path) == expected
            for suffix in ("", "-wal", "-shm", ".lock"):
                pathlib.Path(path + suffix).unlink(missing_ok=True)
            before = 0
    run(words)
    assert rows(path) == expected, "rows differ after deaths"
    print(f"{killed} ranks killed, {told} times said so; in the end the same rows")


def has_table(path):
    try:
        rows(path)
        return True
    except sqlite3.OperationalError:
        return False


def check_survivors(mpi, at, expected):
    """Where mpirun lets the others live, they finish without the one that died."""
    path = at("alive.sqlite")
    words = ranks(3, mpi, "sweep", at("s.yaml"), "-o", path)
    words.insert(1, "--enable-recovery")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT) as job:
        time.sleep(0.8)
        members = children(job.pid)
        is_hit = len(members) == 3 and job.poll() is None
        if is_hit:
            os.kill(members[-1], signal.SIGKILL)
        text = job.communicate(timeout=240)[0]
    if rows(path) != expected:
        run(ranks(3, mpi, "sweep", at("s.yaml"), "-o", path))
    assert rows(path) == expected
    print(f"with --enable-recovery: {'a rank killed, ' if is_hit else ''}{'the others did its work' if 'is gone' in text else 'run again'}")


def check_search(program, mpi, at):
    pathlib.Path(at("run.yaml")).write_text(RUN % 256, encoding="utf-8")
    words = ["train", at("run.yaml"), "--search", "--format", "json", "--reproducible", "--quiet"]
    one, one_s = run([program, *words, "--threads", "1"])
    for count in (2, 4):
        many, seconds = run(ranks(count, mpi, *words, "--threads", "1"))
        assert json.loads(many) == json.loads(one), f"{count} ranks find other plans"
        print(f"train --search: 1 process {one_s:.2f} s, {count} ranks {seconds:.2f} s ({seconds / one_s:.2f} ×), the same answer")


def main():
    program, mpi = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: str(pathlib.Path(folder) / name)
        check_search(program, mpi, at)
        expected = check_sweep(program, mpi, at)
        check_deaths(mpi, at, expected)
        check_survivors(mpi, at, expected)
    return 0


if __name__ == "__main__":
    sys.exit(main())
