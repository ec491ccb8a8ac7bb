#!/usr/bin/env python3
"""The same rows from one process, from shards merged in any order, and after many kill -9s.

Usage: crash_test.py PROGRAM [KILLS [SECONDS]]

KILLS (50) processes are killed at random moments, some before their first commit and some between two;
fewer on a machine that is too busy for them in SECONDS (25), but never less than five.
Then the sweep is run to its end, and no row may differ from that of an undisturbed run.
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
name: crash
verb: fit
options: {model: llama-3.1-8b}
axes:
  - {key: --gpu, values: [h100-sxm, h200-sxm, l40s, no-such-chip]}
  - {key: --context, from: 1000, to: 100000, steps: %d, scale: log, whole: true}
filters: ["not (gpu == 'l40s' and context > 90000)"]
keep: {answer: true}
"""
POINTS = 100
SHARDS = 8
FEWEST_KILLS = 5


def rows(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("select * from cases order by 1").fetchall()


def run(program, *words):
    return subprocess.run([program, *words, "--quiet"], check=True, capture_output=True, text=True)


def killed(program, words, seconds):
    """Whether the process was still running when it was killed."""
    with subprocess.Popen([program, *words, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(seconds)
        is_running = process.poll() is None
        process.kill()
    return is_running


def mend(program, sweep, path, expected):
    """Rows that somebody changed are named by --status, refused by report and merge, and run again by the next start."""
    changes = {11: "context=context + 1", 57: "answer=null", 98: "edits='{}'", 120: "status='no'"}
    with contextlib.closing(sqlite3.connect(path)) as database:
        for number, change in changes.items():
            assert database.execute(f"update cases set {change} where case_number=?", (number,)).rowcount == 1, number
        database.commit()
    named = ", ".join(map(str, changes))
    status = subprocess.run([program, "sweep", sweep, "-o", path, "--status"], check=True, capture_output=True, text=True).stdout
    assert f"{len(expected) - len(changes)} done" in status and named in status and f"{len(changes)} to do" in status, status
    for words in (["sweep", "report", path], ["merge", path, "-o", path + ".merged"]):
        refused = subprocess.run([program, *words], capture_output=True, text=True)
        assert refused.returncode != 0 and "LF517" in refused.stderr and "case 11" in refused.stderr, refused.stderr
    again = subprocess.run([program, "sweep", sweep, "-o", path], check=True, capture_output=True, text=True)
    assert named in again.stderr and f"{len(changes)} cases new" in again.stdout, again.stdout + again.stderr
    assert rows(path) == expected, "a row that was changed is not as it was"
    return len(changes)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 25
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: str(pathlib.Path(folder) / name)
        pathlib.Path(at("s.yaml")).write_text(SWEEP % POINTS, encoding="utf-8")
        began = time.monotonic()
        run(program, "sweep", at("s.yaml"), "-o", at("one.sqlite"), "--jobs", "2")
        whole = time.monotonic() - began
        expected = rows(at("one.sqlite"))
        assert len(expected) > 3 * POINTS, len(expected)
        parts = [at(f"part{i}.sqlite") for i in range(SHARDS)]
        for i, part in enumerate(parts):
            run(program, "sweep", at("s.yaml"), "--shard", f"{i}/{SHARDS}", "-o", part, "--jobs", "1")
        chance.shuffle(parts)
        run(program, "merge", *parts, "-o", at("all.sqlite"))
        assert rows(at("all.sqlite")) == expected, "shards differ"
        running = 0
        before = 0
        done = 0
        end = time.monotonic() + seconds
        while done < kills and (done < FEWEST_KILLS or time.monotonic() < end):
            done += 1
            words = ["sweep", at("s.yaml"), "-o", at("killed.sqlite"), "--jobs", "2"]
            running += killed(program, words, chance.uniform(0, 1.2 * whole))
            if not pathlib.Path(at("killed.sqlite")).exists():
                continue
            try:
                found = len(rows(at("killed.sqlite")))
            except sqlite3.OperationalError:  # Killed before its tables were there.
                found = 0
            assert found >= before, "a finished case is lost"
            before = found
            if found == len(expected):  # Begin anew, so that every kill has something to hit.
                assert rows(at("killed.sqlite")) == expected, "rows differ after kills"
                for suffix in ["", "-wal", "-shm", ".lock"]:
                    pathlib.Path(at("killed.sqlite" + suffix)).unlink(missing_ok=True)
                before = 0
        run(program, "sweep", at("s.yaml"), "-o", at("killed.sqlite"), "--jobs", "2")
        assert rows(at("killed.sqlite")) == expected, "rows differ after kills"
        changes = mend(program, at("s.yaml"), at("killed.sqlite"), expected)
        print(f"{changes} changed rows found and run again; {len(expected)} cases, {SHARDS} shards, {done} kills, {running} of them while it ran")
    return 0


if __name__ == "__main__":
    sys.exit(main())
