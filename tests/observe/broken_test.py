#!/usr/bin/env python3
"""Files of monitors and batch systems that are cut, empty, of another kind or say nothing: each is
refused with its error, at its line.

    broken_test.py PROGRAM

The folder tests/broken/observe holds the files, and expect.csv what is wrong with each: line 0 stands
for the file as a whole.
"""
import csv
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent.parent / 'broken' / 'observe'
FEWEST, FEWEST_KINDS = 40, 12


def refused_as(program, name):
    done = subprocess.run([program, 'observe', name, '--now', '2026-11-10T12:00:00Z'], cwd=FOLDER,
                          capture_output=True, text=True, errors='replace', timeout=120)
    said = re.match(r'(?:\S+?:(?:(\d+):\d+:)? )?error\[LF(\d+)\]', done.stderr)
    if done.returncode != 2 or said is None:
        return f'exit {done.returncode}: {done.stderr[:200]}'
    return said.group(1) or '0', said.group(2)


def endless_faults(program):
    """What never ends is refused as too large, in bounded time and memory."""
    line = 'DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1"} 50'
    source = subprocess.Popen(['yes', line], stdout=subprocess.PIPE)
    done = subprocess.run([program, 'observe', '-'], stdin=source.stdout, capture_output=True,
                          text=True, timeout=120)
    source.kill()
    source.wait()
    return [] if done.returncode == 2 and 'LF508' in done.stderr else [
        f'an endless pipe: exit {done.returncode}, {done.stderr[:200]}']


def main():
    with open(FOLDER / 'expect.csv') as file:
        rows = list(csv.DictReader(file))
    faults = [f'{row["file"]}: {found}, expected line {row["line"]}, LF{row["code"]}' for row in rows
              if (found := refused_as(sys.argv[1], row['file'])) != (row['line'], row['code'])]
    listed = {row['file'] for row in rows} | {'expect.csv'}
    faults += [f'{path.name} is not in expect.csv' for path in FOLDER.iterdir()
               if path.name not in listed]
    faults += endless_faults(sys.argv[1])
    if len(rows) < FEWEST or len({row['damage'] for row in rows}) < FEWEST_KINDS:
        faults.append(f'only {len(rows)} files')
    for fault in faults:
        print('BAD', fault)
    print(f'{len(rows)} broken files, {len(faults)} faults')
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
