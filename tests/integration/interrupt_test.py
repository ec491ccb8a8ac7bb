#!/usr/bin/env python3
"""Ctrl-C at a terminal ends a search or a curve with the best so far and exit status 0.

Usage: interrupt_test.py PROGRAM

The program runs on a terminal of its own; Ctrl-C is typed as soon as it shows progress.
"""
import os
import pathlib
import pty
import select
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENARIO = str(ROOT / "data/scenarios/search-gpt3-4096-a100.yaml")
PROGRESS = b"Ctrl-C shows the best so far"
SECONDS = 300  # Without a byte from the program.


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
        if not typed and PROGRESS in shown:
            os.write(terminal, b"\x03")
            typed = True
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    return " ".join(shown.decode().split()), typed, os.waitstatus_to_exitcode(status)


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
    print("\n".join(failures) or f"{len(questions)} questions interrupted")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
