#!/usr/bin/env python3
"""Sweeps and searches on MPI ranks: the same rows and the same plans as one process, whoever dies.

Usage: mpi_test.py LOADFACTOR LOADFACTOR_MPI [KILLS]

KILLS (50) ranks are killed at random moments. Needs mpirun. Ranks share the cores that are there; times are printed
and not judged, for the machine may be busy.
"""
import contextlib
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
SERVICE = """loadfactor: 1
name: ranks
serve:
  model: llama-3.1-8b
  demand: {requests_per_second: %s, tokens_in: 1000, tokens_out: 200, shape: global-chat}
  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}
hardware: [h100-sxm, l40s]
"""
SEARCHES = """sweep: 1
name: searches
scenario: run.yaml
verb: train
options: {search: true}
axes:
  - {key: hardware, values: [[h100-sxm], [h200-sxm], [a100-80gb-sxm]]}
  - {key: limits.gpus, values: [32, 64, 128]}
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


def check_sweep_of_searches(program, mpi, at):
    """Each search is done by the rank that has its case, though a search alone is shared."""
    pathlib.Path(at("searches.yaml")).write_text(SEARCHES, encoding="utf-8")
    run([program, "sweep", at("searches.yaml"), "-o", at("searches.sqlite"), "--quiet"])
    run(ranks(3, mpi, "sweep", at("searches.yaml"), "-o", at("searched.sqlite"), "--quiet"), timeout=300)
    assert rows(at("searched.sqlite")) == rows(at("searches.sqlite")), "searches of a sweep differ"
    print("a sweep of searches on 3 ranks: the same rows")


def check_deaths(mpi, at, expected, kills):
    """Ranks that are killed stop the job with a word; what is done is kept, and the same command goes on."""
    chance = random.Random(5)
    killed, told, whole, before = 0, 0, 0, 0
    path = at("killed.sqlite")
    words = ranks(4, mpi, "sweep", at("s.yaml"), "-o", path)
    while killed < kills:
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT) as job:
            wait_for_ranks(job, path)
            time.sleep(chance.uniform(0, 1))
            members = children(job.pid)
            if members and job.poll() is None:
                try:
                    os.kill(chance.choice(members), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass  # It had just ended by itself.
            text = text_of(job)
            is_told = re.search(r"signal 9|is gone|stopped: what is done is kept|a non-zero exit code", text)
            told += bool(is_told) or job.returncode == -signal.SIGKILL  # mpirun itself hung, as it may at the start.
            is_whole = job.returncode == 0 and not is_told  # A rank that died had nothing left to do.
        found = len(rows(path)) if pathlib.Path(path).exists() and has_table(path) else 0
        assert found >= before, "a finished case is lost"
        before = found
        if is_whole:
            assert found == len(expected), f"a job that lacks cases says nothing:\n{text}"
            whole += 1
        if found == len(expected):
            assert rows(path) == expected
            for suffix in ("", "-wal", "-shm", ".lock"):
                pathlib.Path(path + suffix).unlink(missing_ok=True)
            before = 0
    run(words)
    assert rows(path) == expected, "rows differ after deaths"
    assert told + whole >= killed, f"{killed - told - whole} deaths without a word"
    print(f"{killed} ranks killed, {told} times said so; in the end the same rows")


def wait_for_ranks(job, path):
    """Until rank 0 writes: mpirun does not survive ranks that die while they find each other."""
    while job.poll() is None and not pathlib.Path(path + ".lock").exists():
        time.sleep(0.02)


def text_of(job):
    """What a job said, which ends for certain."""
    try:
        return job.communicate(timeout=90)[0]
    except subprocess.TimeoutExpired:
        job.kill()
        return job.communicate()[0]


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
        wait_for_ranks(job, path)
        members = children(job.pid)
        is_hit = len(members) == 3 and job.poll() is None
        if is_hit:
            os.kill(members[-1], signal.SIGKILL)
        text = text_of(job)
    if rows(path) != expected:
        run(ranks(3, mpi, "sweep", at("s.yaml"), "-o", path))
    assert rows(path) == expected
    print(f"with --enable-recovery: {'a rank killed, ' if is_hit else ''}{'the others did its work' if 'is gone' in text else 'run again'}")


def check_search(program, mpi, words):
    words = [*words, "--format", "json", "--reproducible", "--quiet"]
    one, one_s = run([program, *words])
    for count in (2, 4):
        many, seconds = run(ranks(count, mpi, *words))
        assert many == one, f"{count} ranks find other plans"
        print(f"{words[0]} --search: 1 process {one_s:.2f} s, {count} ranks {seconds:.2f} s ({seconds / one_s:.2f} ×), the same answer")


def check_searches(program, mpi, at):
    pathlib.Path(at("run.yaml")).write_text(RUN % 256, encoding="utf-8")
    check_search(program, mpi, ["train", at("run.yaml"), "--search", "--threads", "1"])
    check_search(program, mpi, ["train", at("run.yaml"), "--search", "--exhaustive", "--threads", "1"])
    for rate in (1, 5):  # Chips are tried one by one, or as one group where weeks are long.
        pathlib.Path(at("service.yaml")).write_text(SERVICE % rate, encoding="utf-8")
        check_search(program, mpi, ["serve", at("service.yaml"), "--search", "--weeks", "4"])


def main():
    program, mpi = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    kills = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: str(pathlib.Path(folder) / name)
        check_searches(program, mpi, at)
        check_sweep_of_searches(program, mpi, at)
        expected = check_sweep(program, mpi, at)
        check_deaths(mpi, at, expected, kills)
        check_survivors(mpi, at, expected)
    return 0


if __name__ == "__main__":
    sys.exit(main())
