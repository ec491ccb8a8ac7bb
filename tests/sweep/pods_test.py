#!/usr/bin/env python3
"""What the pods of an Indexed Job run, run here: the same rows as one process, though pods are lost on their way.

Usage: pods_test.py LOADFACTOR

The commands are those of `sweep --submit kubernetes --dry-run`, with folders in the place of volumes and of the store.
"""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SWEEP = """sweep: 1
name: pods
verb: fit
options: {model: llama-3.1-8b}
axes:
  - {key: --gpu, values: [h100-sxm, h200-sxm, l40s, no-such-chip]}
  - {key: --context, from: 1000, to: 100000, steps: 100, scale: log, whole: true}
keep: {answer: true}
"""
SHARDS = 3
TRIES = 20


def rows(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("select * from cases order by 1").fetchall()


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def command_of(manifest, name):
    """The words of the one container called `name`; its command is a double-quoted text."""
    lines = manifest.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip() in (f"- name: {name}", f"name: {name}")
              and any("command:" in other for other in lines[i:i + 4]))
    first = next(i for i in range(at, len(lines)) if "command:" in lines[i])
    words = [line.strip()[2:] for line in lines[first + 1:first + 4]]
    return [json.loads(word) if word.startswith('"') else word.strip("'") for word in words]


class Pods:
    """Pods of one job: each try has an empty folder of its own, and all have one store."""

    def __init__(self, program, manifest, folder):
        self.folder = pathlib.Path(folder)
        self.manifest = manifest
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "loadfactor").symlink_to(program)
        self.environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "STORE": str(self.folder / "store")}
        (self.folder / "store").mkdir()

    def start(self, name, shard, tried, parts=None):
        own = self.folder / (parts or f"{name}-{shard}-{tried}")
        own.mkdir(exist_ok=True, parents=True)
        script = command_of(self.manifest, name)[2]
        script = script.replace("/parts", str(own)).replace("/sweep/", f"{self.folder}/").replace("sleep 10", "sleep 0.1")
        return subprocess.Popen(["sh", "-c", script], env={**self.environment, "SHARD": str(shard)},
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def run_shard(pods, shard, chance, parts=None):
    """Starts a shard until a pod of it ends well; the first ones are asked to stop or lost with all they had."""
    stopped = 0
    for tried in range(TRIES):
        pod = pods.start("shard", shard, tried, parts)
        if tried < 3:
            time.sleep(chance.uniform(0.1, 1))
            if pod.poll() is None:
                stopped += 1
                if tried % 2 == 0:
                    pod.terminate()
                else:
                    os.killpg(pod.pid, signal.SIGKILL)
        if pod.wait(timeout=120) == 0:
            return stopped
        if not parts:
            shutil.rmtree(pods.folder / f"shard-{shard}-{tried}")
    raise AssertionError(f"shard {shard} never ended")


def check(program, folder, words, merged, parts_of):
    chance = random.Random(4)
    pathlib.Path(folder, "s.yaml").write_text(SWEEP, encoding="utf-8")
    run(program, "sweep", f"{folder}/s.yaml", "-o", f"{folder}/one.sqlite", "--jobs", "1", "--quiet")
    manifest = run(program, "sweep", f"{folder}/s.yaml", "--submit", "kubernetes", "--dry-run", "--shards", str(SHARDS), *words)
    pods = Pods(program, manifest, folder)
    own = re.search(r"subPathExpr: [\"']?([^/\s]+)/", manifest)
    parts = (lambda shard: None) if own is None else (lambda shard: parts_of(shard, own.group(1)))
    merge = pods.start("merge", "", 0, parts(None))
    stopped = sum(run_shard(pods, shard, chance, parts(shard)) for shard in range(SHARDS))
    assert merge.wait(timeout=120) == 0, "nothing was merged"
    (found,) = pathlib.Path(folder).glob(merged)
    assert rows(found) == rows(f"{folder}/one.sqlite"), "rows differ"
    return stopped


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        store = ["--upload", 'cp "$PART" "$STORE/$NAME.new" && mv "$STORE/$NAME.new" "$STORE/$NAME"',
                 "--download", 'cp "$STORE/$NAME" "$PART"']
        stopped = check(program, folder, store, "store/*-all.sqlite", None)
        print(f"{SHARDS} shards by way of a store, {stopped} pods stopped: the same rows")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "volume").mkdir()
        stopped = check(program, folder, [], "volume/*/all.sqlite",
                        lambda shard, own: "volume" if shard is None else f"volume/{own}/shard-{shard}")
        print(f"{SHARDS} shards on one volume, {stopped} pods stopped: the same rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
