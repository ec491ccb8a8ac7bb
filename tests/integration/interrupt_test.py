#!/usr/bin/env python3
"""Ctrl-C at a terminal ends a search or a curve with the best so far and exit status 0, and other
long questions without an answer and with exit status 130.

Usage: interrupt_test.py PROGRAM

The program runs on a terminal of its own; Ctrl-C is typed as soon as it shows progress, or where it
shows none, a while after its start.
"""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENARIO = str(ROOT / "data/scenarios/search-gpt3-4096-a100.yaml")
PROGRESS = re.compile(rb"[1-9][0-9]* % \(Ctrl-C shows the best so far\)")  # Something is searched.
SECONDS = 300  # Without a byte from the program.
CHAT = str(ROOT / "data/scenarios/support-chat.yaml")
BUSY = ["--set", "serve.demand.requests_per_month=96 M", "--set", "limits.gpus=2048"]
# Each would take half a minute or more.
LONG = [
    ["serve", CHAT, "--simulate", "--requests", "50000000"],
    ["serve", CHAT, "--search", "--weeks", "100", *BUSY],
    ["fill", CHAT, "--simulate", *BUSY],
    ["plan", CHAT, *BUSY],
    ["validate", "--training", "rows.csv"],
    ["validate", "--inference", "results.csv"],
]
MOST_ROWS = 100000
MOST_CELLS = 4000000  # The program reads no larger table.
STARTED = 1.0  # Seconds until Ctrl-C.
STOPPED = 20.0  # Seconds within which it ends, on a machine with much other work too.


def interrupted(words):
    """Everything the program shows, whether Ctrl-C was typed, and the exit status."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(words[0], words)
    shown, typed = b"", False
    while select.select([terminal], [], [], SECONDS)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # The other end is closed.
            break
        if not data:
            break
        shown += data
        if not typed and PROGRESS.search(shown):
            os.write(terminal, b"\x03")
            typed = True
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    return " ".join(shown.decode().split()), typed, os.waitstatus_to_exitcode(status)


def write_tables():
    """Tables with far more rows than anybody has."""
    shipped = (ROOT / "data/published/training.csv").read_text().splitlines()
    first = next(i for i, line in enumerate(shipped) if not line.startswith("#"))
    rows = shipped[first + 1:]
    count = MOST_CELLS // (shipped[first].count(",") + 1) - 1
    with open("rows.csv", "w", encoding="utf-8") as file:
        file.write(shipped[first] + "\n" + "\n".join((rows * 200)[:count]) + "\n")
    with open("results.csv", "w", encoding="utf-8") as file:
        file.write("id,model,accelerator,gpus,tp,precision,isl,osl,batch_or_concurrency,metric,value,engine,engine_version,notes\n")
        for i in range(MOST_ROWS):
            file.write(f"r-{i},llama-3.1-8b,h100-sxm,1,1,bf16,1000,200,16,tpot_ms,9,vLLM,0.11.0,closed loop\n")


def stop_long(program, words):
    """What is wrong with how a long question ends, or nothing."""
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asked:
        time.sleep(STARTED)
        if asked.poll() is not None:
            return f"{words}: over before it was stopped, status {asked.returncode}"
        asked.send_signal(signal.SIGINT)
        began = time.monotonic()
        shown, said = asked.communicate()
        taken = time.monotonic() - began
    if asked.returncode == 130 and not shown and b"LF605" in said and taken < STOPPED:
        return ""
    return f"{words}: status {asked.returncode} after {taken:.1f} s\n{said.decode()[:500]}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    questions = {
        "--search": ["--exhaustive"],
        "--scale": ["--gpus", ",".join(str(512 * n) for n in range(1, 65)), "--set", "limits.gpus=32768"],
    }
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for flag, more in questions.items():
            words = [program, "train", flag, *more, "--threads", "1", SCENARIO]
            shown, typed, status = interrupted(words)
            expected = typed and status == 0 and "STOPPED EARLY" in shown and "MFU" in shown
            if not expected:
                failures.append(f"{flag}: typed {typed}, status {status}\n{shown[:2000]}")
        write_tables()
        failures += filter(None, (stop_long(program, words) for words in LONG))
    print("\n".join(failures) or f"{len(questions) + len(LONG)} questions interrupted")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
