#!/usr/bin/env python3
"""Runs every command of the guides, as a reader would, in an empty folder beside our data.

Usage: run_guides.py PROGRAM

A line `$ loadfactor …` in docs/guides must exit 0; one that ends in `# exit N` must exit N.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE = re.compile(r"^\$ (loadfactor .*?)(?:\s+# exit (\d+))?$", re.M)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    count, failures = 0, []
    for guide in sorted((ROOT / "docs/guides").glob("*.md")):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "data", os.path.join(folder, "data"))
            for command, status in LINE.findall(guide.read_text()):
                words = [program, *shlex.split(command)[1:]]
                run = subprocess.run(words, capture_output=True, text=True, cwd=folder,
                                     stdin=subprocess.DEVNULL, check=False)
                count += 1
                if run.returncode != int(status or 0):
                    failures.append(f"{guide.name}: {command}: exit {run.returncode}\n{run.stderr}")
    print("\n".join(failures) or f"{count} commands ran")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
