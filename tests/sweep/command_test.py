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


def check_flags(program, at):
    """A flag that would go for nothing is refused, and so is a file that would be lost."""
    words = ["sweep", str(at("fits.yaml")), "-o", str(at("fits.sqlite"))]
    before = at("fits.sqlite").read_bytes()
    for more in (["--status", "--export", str(at("y.csv"))], ["--dry-run", "--status"], ["--status", "--retry-failed"],
                 ["--export", str(at("y.csv")), "--shard", "0/2"], ["--status", "--format", "json"],
                 ["--submit", "slurm", "--image", "x", "--dry-run"], ["--shards", "4"], ["--claim", "c"],
                 ["--submit", "kubernetes", "--tries", "2", "--dry-run"],
                 ["--submit", "kubernetes", "--claim", "c", "--upload", "u", "--download", "d", "--dry-run"]):
        refused = run(program, *words, *more)
        assert refused.returncode == 2 and "LF603" in refused.stderr, (more, refused)
    assert run(program, "sweep", str(at("fits.yaml")), "-o", str(at("x.csv"))).returncode == 2
    report = ["sweep", "report", str(at("fits.sqlite")), "-o"]
    for lost in (run(program, *report, str(at("fits.sqlite"))), run(program, *report, str(at("traces.sqlite"))),
                 run(program, *words[:2], "-o", str(at("fits.sqlite")), "--export", str(at("fits.yaml")) + "/../x.csv")):
        assert lost.returncode == 4, lost
    table = at("table.yaml")
    table.write_text(FITS.split("axes:")[0] + "cases: table.csv\n")
    at("table.csv").write_text("--context\n1000\n")
    named = ["sweep", str(table), "-o", str(at("table.sqlite"))]
    assert run(program, *named).returncode == 0
    lost = run(program, *named, "--export", str(at("table.csv")))
    assert lost.returncode == 4 and "LF602" in lost.stderr and "read by this command" in lost.stderr, lost.stderr
    assert at("table.csv").read_text() == "--context\n1000\n" and at("fits.sqlite").read_bytes() == before


def check_counts(program, at):
    """What is said of a shard is of the shard, and cases that filters leave out are not missing."""
    at("f.yaml").write_text(FITS.replace("3000]", "3000, 4000, 5000, 6000]") + "filters: [context != 2000]\n")
    words = ["sweep", str(at("f.yaml")), "-o"]
    for shard in range(2):
        assert run(program, *words, str(at(f"p{shard}.sqlite")), "--shard", f"{shard}/2").returncode == 0
    told = run(program, *words, str(at("p0.sqlite")), "--shard", "1/2", "--status").stdout
    assert "shard 1/2: 0 done" in told and "2 to do in the shard" in told, told
    merged = run(program, "merge", str(at("p0.sqlite")), str(at("p1.sqlite")), "-o", str(at("all.sqlite"))).stdout
    assert "5 cases from 2 parts:" in merged and "none of the parts" not in merged, merged
    again = run(program, "merge", str(at("p0.sqlite")), "-o", str(at("all.sqlite"))).stdout
    assert "5 cases from 1 part and what it held:" in again, again


def check_failure(program, at):
    """A sweep without any answer fails, and keeps its rows."""
    at("no.yaml").write_text(FITS.replace("gpu: h100-sxm", "gpu: no-such-gpu"))
    failed = run(program, "sweep", str(at("no.yaml")), "-o", str(at("no.sqlite")))
    assert failed.returncode == 2 and "every case is an error" in failed.stderr, failed
    assert query(at("no.sqlite"), "select count(*) from cases") == [(3,)]


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: pathlib.Path(folder) / name
        check_export(program, at)
        check_array(program, at)
        check_supplied(program, at)
        check_flags(program, at)
        check_counts(program, at)
        check_failure(program, at)
    print("an export runs nothing, the array is ours, a file that was missing may be supplied, no flag goes for nothing, "
          "and no file is lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
