#!/usr/bin/env python3
"""What the flags of `loadfactor sweep` do, and what they leave alone.

Usage: command_test.py LOADFACTOR
"""
import contextlib
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

FITS = """sweep: 1
name: fits
verb: fit
options: {model: llama-3.1-8b, gpu: h100-sxm}
axes: [{key: --context, values: [1000, 2000, 3000]}]
"""
SERVICE = """loadfactor: 1
name: small
serve:
  model: llama-3.1-8b
  demand: {requests_per_month: 1 M, tokens_in: 1500, tokens_out: 500}
  deployment: {gpu: h100-sxm, tp: 1}
hardware: [h100-sxm]
"""
TRACES = """sweep: 1
name: traces
scenario: s.yaml
verb: serve
axes:
  - choices:
      - {serve.demand.trace: a.csv, serve.demand.requests_per_month: null, serve.demand.tokens_in: null, serve.demand.tokens_out: null}
      - {serve.demand.trace: b.csv, serve.demand.requests_per_month: null, serve.demand.tokens_in: null, serve.demand.tokens_out: null}
"""
TRACE = "time,tokens_in,tokens_out\n0,100,10\n1,100,10\n"


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True)


def query(path, sql):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def check_export(program, at):
    """An export writes what is done and runs nothing."""
    at("fits.yaml").write_text(FITS)
    words = ["sweep", str(at("fits.yaml")), "-o", str(at("fits.sqlite"))]
    early = run(program, *words, "--export", str(at("cases.csv")))
    assert early.returncode == 4 and "LF601" in early.stderr, early.stderr
    assert not at("fits.sqlite").exists() and not at("cases.csv").exists()
    assert run(program, *words, "--shard", "0/2").returncode == 0
    done = run(program, *words, "--export", str(at("cases.csv")))
    assert done.returncode == 0 and "2 cases" in done.stderr, done.stderr
    assert len(at("cases.csv").read_text().splitlines()) == 3
    assert query(at("fits.sqlite"), "select count(*) from cases") == [(2,)], "an export ran a case"


def check_array(program, at):
    """The array is the command's own."""
    words = ["sweep", str(at("fits.yaml")), "-o", str(at("x.sqlite")), "--submit", "slurm", "--dry-run"]
    refused = run(program, *words, "--sbatch", "array=0-3")
    assert refused.returncode == 2 and "'array'" in refused.stderr and "--shards" in refused.stderr, refused.stderr
    taken = run(program, *words, "--sbatch", "partition=batch")
    assert taken.returncode == 0 and "#SBATCH --partition=batch" in taken.stdout, taken.stderr


def check_supplied(program, at):
    """A file that was missing is supplied, and the cases that failed for it run again."""
    at("s.yaml").write_text(SERVICE)
    at("traces.yaml").write_text(TRACES)
    at("a.csv").write_text(TRACE)
    words = ["sweep", str(at("traces.yaml")), "-o", str(at("traces.sqlite"))]
    assert run(program, *words).returncode == 0
    assert query(at("traces.sqlite"), "select status from cases where case_number=1") == [("error",)]
    at("b.csv").write_text(TRACE)
    for more in ([], ["--status"]):
        told = run(program, *words, *more)
        assert told.returncode == 2 and "LF511" in told.stderr and "--retry-failed" in told.stderr, told.stderr
    again = run(program, *words, "--retry-failed")
    assert again.returncode == 0 and "1 case new" in again.stdout, again.stdout + again.stderr
    assert query(at("traces.sqlite"), "select status from cases") == [("answer",), ("answer",)]
    assert run(program, *words).returncode == 0, "they are one sweep now"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: pathlib.Path(folder) / name
        check_export(program, at)
        check_array(program, at)
        check_supplied(program, at)
    print("an export runs nothing, the array is ours, and a file that was missing may be supplied")
    return 0


if __name__ == "__main__":
    sys.exit(main())
