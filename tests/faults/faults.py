#!/usr/bin/env python3
"""What the program does when the system fails it: its end, its files, and what it had done so far.

    faults.py PROGRAM [--only WORD] [--seed N] [--points N]

Each claim is a function that yields a sentence for whatever does not hold. Needs gcc for the shim
that makes allocations, reads, disks, threads and clocks fail. Ends with 1 if a claim fails.
"""

import argparse
import contextlib
import os
import pathlib
import signal
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "web"))

from bench import FIT, PATIENCE, SWEEPS, WRITERS, Bench, ends_soon, leftovers, rows, text_of  # noqa: E402
from client import Server  # noqa: E402
from no_threads import servers_want_threads, threads_fail  # noqa: E402

ORDERLY = (0, 4)      # An answer, or the outside world.
SIGNALLED = (0, 130, -signal.SIGTERM, -signal.SIGINT)
OLD = "what stood here before\n"


def allocations_fail(bench):
    """Wherever memory ends, the program says so, or had no need of it."""
    for words in (FIT, ["audit", str(ROOT / "data/scenarios/audits/offer-8b.yaml"), "--format", "json"]):
        folder = bench.fresh()
        sound = bench.run(words, folder, {"COUNT": folder / "count"})
        total = int((folder / "count").read_text())
        for at in bench.spread(total):
            for rest in (0, 1):
                status, out, err = bench.run(words, folder, {"ALLOC": at, "ALLOC_REST": rest})
                where = f"{words[0]}, allocation {at} of {total}{' and all behind it' if rest else ''}"
                if status not in ORDERLY:
                    yield f"{where}: status {status}: {err.strip()[-160:]}"
                elif status == 0 and out != sound[1]:
                    yield f"{where}: another answer"
                elif status == 4 and "error[LF" not in err and not rest:
                    yield f"{where}: nothing is said: {err.strip()[-160:]}"


def reads_are_short(bench):
    """Reads that give a few bytes, or are interrupted, change no answer."""
    for words in (["cost", "service.yaml", "--format", "json", "--reproducible", "--draws", "64"],
                  ["observe", "smi.csv", "--since", "1h", "--format", "json", "--reproducible"]):
        folder = bench.fresh()
        sound = bench.run(words, folder)
        for most in (1, 7):
            short = bench.run(words, folder, {"READ": most})
            if short[:2] != sound[:2]:
                yield f"{words[0]}, {most} bytes a read: status {short[0]}, not {sound[0]}: {short[2][-160:]}"


def disks_fill(bench):
    """On a full disk the old file stays, nothing is left beside it, and the status says so."""
    for name, (words, target) in WRITERS.items():
        folder = bench.fresh()
        sound = bench.run(words, folder)
        if sound[0] != 0:
            yield f"{name}: status {sound[0]} on a sound system: {sound[2][-200:]}"
            continue
        whole = text_of(folder / target)
        size = len(whole) if isinstance(whole, bytes) else sum(map(len, whole.values()))
        for bytes_left in sorted({0, 1, size // 2, size - 1}):
            folder = bench.fresh()
            is_file = isinstance(whole, bytes)
            if is_file:
                (folder / target).write_text(OLD)
            status, _, err = bench.run(words, folder, {"DISK": bytes_left})
            where = f"{name}, {bytes_left} bytes of {size}"
            if status != 4:
                yield f"{where}: status {status}: {err[-160:]}"
            if is_file and text_of(folder / target) != OLD.encode():
                yield f"{where}: the old file is gone"
            if leftovers(folder):
                yield f"{where}: leaves {leftovers(folder)}"
            if not is_file:
                yield from (f"{where}: half of {one}" for one, text in text_of(folder / target).items()
                            if text != whole[one])


def sweeps_resume_from_a_full_disk(bench):
    """Rows that were kept stay, and the rest comes when there is room again."""
    folder = bench.fresh()
    bench.run(SWEEPS, folder)
    sound, size = rows(folder / "rows.sqlite"), (folder / "rows.sqlite").stat().st_size
    for bytes_left in (0, size // 3, size):
        folder = bench.fresh()
        status, _, err = bench.run(SWEEPS, folder, {"DISK": bytes_left})
        if status not in ORDERLY or (status == 4 and "error[LF" not in err):
            yield f"{bytes_left} bytes of {size}: status {status}: {err[-200:]}"
        again = bench.run(SWEEPS, folder)
        if again[0] != 0 or rows(folder / "rows.sqlite") != sound:
            yield f"{bytes_left} bytes of {size}: not whole after another run: status {again[0]}: {again[2][-200:]}"


def outputs_close(bench):
    """A full standard output is told to the caller; a closed pipe ends quietly."""
    for words in (FIT, ["--help"], ["--version"], ["catalog", "gpus"], ["explain", "codes"], []):
        folder = bench.fresh()
        with open("/dev/full", "wb") as full:
            status, _, err = bench.run(words, folder, stdout=full)
        if status != 4:
            yield f"{' '.join(words) or 'no words'} to a full disk: status {status}"
        reading, writing = os.pipe()
        os.close(reading)
        status, _, err = bench.run(words, folder, stdout=writing, restore_signals=True)
        os.close(writing)
        if status not in (4, -signal.SIGPIPE):
            yield f"{' '.join(words) or 'no words'} to a closed pipe: status {status}"
        if "LF9" in err or "terminate" in err:
            yield f"{' '.join(words)} to a closed pipe: {err[-200:]}"


def signals_come(bench):
    """SIGTERM and SIGINT at random moments: the old file or the whole new one, and soon."""
    for name, (words, target) in WRITERS.items():
        folder = bench.fresh()
        began = time.monotonic()
        bench.run(words, folder)
        whole, taken = text_of(folder / target), time.monotonic() - began
        for _ in range(max(2, bench.points // 4)):
            folder = bench.fresh()
            number = bench.draw.choice([signal.SIGTERM, signal.SIGINT])
            child = bench.start(words, folder)
            time.sleep(bench.draw.uniform(0, taken))
            child.send_signal(number)
            _, err = child.communicate(timeout=PATIENCE)
            now = text_of(folder / target)
            if child.returncode not in SIGNALLED:
                yield f"{name}: status {child.returncode} after {number.name}: {err.decode()[-160:]}"
            parts = now if isinstance(now, dict) else {target: now} if now is not None else {}
            sound = whole if isinstance(whole, dict) else {target: whole}
            if child.returncode in (0, -number) and any(sound.get(one) != text for one, text in parts.items()):
                yield f"{name}: half a file after {number.name}"


def sweeps_are_stopped(bench):
    """Rows of a sweep that was stopped stay; another run makes it whole."""
    folder = bench.fresh()
    began = time.monotonic()
    bench.run(SWEEPS, folder)
    sound, taken = rows(folder / "rows.sqlite"), time.monotonic() - began
    folder = bench.fresh()
    for _ in range(max(3, bench.points // 4)):
        child = bench.start(SWEEPS, folder)
        time.sleep(bench.draw.uniform(0, taken / 2))
        child.send_signal(bench.draw.choice([signal.SIGTERM, signal.SIGINT]))
        _, err = child.communicate(timeout=PATIENCE)
        if child.returncode not in SIGNALLED:
            yield f"status {child.returncode}: {err.decode()[-160:]}"
    status, _, err = bench.run(SWEEPS, folder)
    if status != 0 or rows(folder / "rows.sqlite") != sound:
        yield f"not whole after another run: status {status}: {err[-160:]}"


def drop_rights():
    """Root may write anywhere; nobody may not."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


def folders_are_read_only(bench):
    for name, (words, target) in list(WRITERS.items()) + [("sweep -o", (SWEEPS, "rows.sqlite"))]:
        folder = bench.fresh()
        folder.chmod(0o555)
        status, _, err = bench.run(words, folder, preexec_fn=drop_rights)
        if status != 4 or "error[LF" not in err:
            yield f"{name}: status {status}: {err[-200:]}"
        if (folder / target).exists() or leftovers(folder):
            yield f"{name}: something was written"
        folder.chmod(0o755)


def clocks_jump(bench):
    """An hour forth and back at every look changes no answer and no row."""
    for words in (FIT, ["plan", "service.yaml", "--draws", "64", "--format", "json", "--reproducible"]):
        folder = bench.fresh()
        sound, jumped = bench.run(words, folder), bench.run(words, folder, {"CLOCK": 3600})
        if jumped[:2] != sound[:2]:
            yield f"{words[0]}: status {jumped[0]}, another answer: {jumped[2][-160:]}"
    folder, other = bench.fresh(), bench.fresh()
    bench.run(SWEEPS, folder)
    status, _, err = bench.run(SWEEPS, other, {"CLOCK": -86400})
    if status != 0 or rows(folder / "rows.sqlite") != rows(other / "rows.sqlite"):
        yield f"sweep: status {status}, other rows: {err[-160:]}"


def servers_stop(bench):
    """`web` and `observe --serve` answer while the clock jumps, and end well when they are asked to."""
    for number in (signal.SIGTERM, signal.SIGINT):
        os.environ.update({"LD_PRELOAD": str(bench.shim), "FAULT_CLOCK": "3600"})
        try:
            server = Server(bench.program, "--drain", "1")
        finally:
            del os.environ["LD_PRELOAD"], os.environ["FAULT_CLOCK"]
        status, _, _ = server.post_json("/api/v1/fit", {"options": {"model": "llama-3.1-8b", "gpu": "h100-sxm"}})
        if status != 200:
            yield f"web answers {status}"
        end = ends_soon(server.process, number)
        if end not in (0, 130):
            yield f"web ends with {end} after {number.name}"


def exporters_stop(bench):
    for number in (signal.SIGTERM, signal.SIGINT):
        folder = bench.fresh()
        port = 20000 + bench.draw.randrange(20000)
        child = bench.start(["observe", "smi.csv", "--serve", f"127.0.0.1:{port}", "--every", "1 s"], folder,
                            {"CLOCK": 3600})
        page = ""
        for _ in range(PATIENCE):
            if child.poll() is not None:
                break
            with contextlib.suppress(OSError):
                page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60).read().decode()
                break
            time.sleep(1)
        if "loadfactor" not in page:
            yield f"observe --serve says nothing: {child.poll()} {page[:100]}"
        end = ends_soon(child, number)
        if end not in (0, 130):
            yield f"observe --serve ends with {end} after {number.name}"


CLAIMS = (outputs_close, reads_are_short, disks_fill, sweeps_resume_from_a_full_disk, folders_are_read_only,
          clocks_jump, signals_come, sweeps_are_stopped, servers_stop, exporters_stop, threads_fail,
          servers_want_threads, allocations_fail)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="part of a claim's name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=20, help="moments and allocations that are tried")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        bench = Bench(arguments.program, folder, arguments)
        for claim in CLAIMS:
            if arguments.only in claim.__name__:
                before = bench.tries
                found = list(claim(bench))
                failed += bool(found)
                print(f"{'FAILS' if found else 'holds'}  {claim.__name__} ({bench.tries - before} folders)", flush=True)
                for sentence in found[:12]:
                    print(f"       {sentence}", flush=True)
    print(f"{failed} claims fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
