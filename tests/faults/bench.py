"""The program with faults of the system between it and its C library, and what it is asked then."""

import contextlib
import os
import pathlib
import random
import sqlite3
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 600        # Seconds on the wall; a busy machine is slow, not stuck.

SERVICE = """loadfactor: 1
name: faults
serve:
  model: llama-3.1-8b
  precision: fp8
  demand: {requests_per_hour: 900, tokens_in: 500, tokens_out: 100}
  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}
  deployment: {gpu: l40s, tp: 1, replicas: 1}
hardware: [l40s]
limits: {gpus: 2}
money: {options: [on-demand, api]}
"""
SWEEP = """sweep: 1
name: faults
verb: fit
options: {model: llama-3.1-8b}
axes:
  - {key: --gpu, values: [h100-sxm, l40s, no-such-chip]}
  - {key: --context, from: 1000, to: 100000, steps: 20, scale: log, whole: true}
keep: {answer: true}
"""
SMI = """timestamp, name, index, utilization.gpu [%], memory.used [MiB], power.draw [W]
2026/08/01 00:00:00.000, NVIDIA H100 80GB HBM3, 0, 50 %, 1000 MiB, 300.00 W
2026/08/01 00:01:00.000, NVIDIA H100 80GB HBM3, 0, 60 %, 1000 MiB, 320.00 W
"""
FIT = ["fit", "llama-3.1-8b", "--gpu", "h100-sxm", "--format", "json", "--reproducible"]
# Commands that write a file or a folder, and what they write.
WRITERS = {
    "plan -o": (["plan", "service.yaml", "--draws", "64", "--reproducible", "-o", "out.json"], "out.json"),
    "plan -o page": (["plan", "service.yaml", "--draws", "64", "--reproducible", "-o", "out.html"], "out.html"),
    "emit -o": (["emit", "vllm", "service.yaml", "-o", "launch"], "launch"),
    "cost -o": (["cost", "service.yaml", "--reproducible", "-o", "out.csv"], "out.csv"),
}
SWEEPS = ["sweep", "sweep.yaml", "-o", "rows.sqlite", "--jobs", "1", "--quiet"]


class Bench:
    """The program, the shim, and a fresh folder for each try."""

    def __init__(self, program, folder, arguments):
        self.program = str(pathlib.Path(program).resolve())
        self.base = pathlib.Path(folder)
        self.draw = random.Random(arguments.seed)
        self.points = arguments.points
        self.shim = self.base / "shim.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(self.shim), str(HERE / "shim.c"), "-ldl"],
                       check=True)
        self.tries = 0

    def fresh(self):
        self.tries += 1
        folder = self.base / f"try-{self.tries}"
        folder.mkdir()
        for name, text in (("service.yaml", SERVICE), ("sweep.yaml", SWEEP), ("smi.csv", SMI)):
            (folder / name).write_text(text)
        return folder

    def start(self, words, folder, faults=None, **more):
        environment = dict(os.environ, HOME=str(folder))
        if faults:
            environment |= {"LD_PRELOAD": str(self.shim)} | {f"FAULT_{k}": str(v) for k, v in faults.items()}
        return subprocess.Popen([self.program, *words], cwd=folder, env=environment,
                                stdin=subprocess.DEVNULL, stdout=more.pop("stdout", subprocess.PIPE),
                                stderr=subprocess.PIPE, **more)

    def run(self, words, folder, faults=None, **more):
        """Status, output and errors."""
        child = self.start(words, folder, faults, **more)
        out, err = child.communicate(timeout=PATIENCE)
        return child.returncode, out, err.decode("utf-8", "replace")

    def spread(self, most):
        """Points from the first to the last, denser at the beginning, the same for the same seed."""
        ratio = max(most, 2) ** (1 / self.points)
        points = {int(ratio ** i) for i in range(self.points)}
        return sorted(points | {self.draw.randint(1, most) for _ in range(self.points)})


def leftovers(folder):
    return sorted(path.name for path in folder.rglob("*") if ".part" in path.name)


def text_of(path):
    """A file's bytes, or all of a folder's."""
    if path.is_dir():
        return {str(one.relative_to(path)): one.read_bytes() for one in sorted(path.rglob("*")) if one.is_file()}
    return path.read_bytes() if path.exists() else None


def rows(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("select * from cases order by 1").fetchall()


def ends_soon(child, number):
    child.send_signal(number)
    child.communicate(timeout=PATIENCE)
    return child.returncode
