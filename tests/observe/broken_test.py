#!/usr/bin/env python3
"""Files of monitors and batch systems that are cut, empty, of another kind or say nothing: each is
refused with its error, at its line.

    broken_test.py PROGRAM

The folder tests/broken/observe holds the files, and expect.csv what is wrong with each: line 0 stands
for the file as a whole. Outputs that a source has nothing for are refused as well.
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

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


JOBS = ('JobID|User|State|Start|End|AllocTRES|NodeList\n'
        '1|ann|COMPLETED|2026-11-09T00:00:00|2026-11-10T00:00:00|gres/gpu:h100=8|n1\n')


def output_faults(program):
    """Batch jobs have no traffic: --demand is an error and writes nothing; what --to writes is for
    `cost`, and `plan` says so."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'jobs.txt').write_text(JOBS)

        def run(*words):
            return subprocess.run([program, *words], cwd=folder, capture_output=True, text=True,
                                  timeout=120)

        faults = []
        done = run('observe', 'jobs.txt', '--demand', 'traffic.csv', '--to', 'found.yaml')
        if done.returncode != 2 or 'LF518' not in done.stderr or (folder / 'traffic.csv').exists():
            faults.append(f'--demand of jobs alone: exit {done.returncode}, {done.stderr[:200]}')
        if (weighed := run('cost', 'found.yaml')).returncode != 0:
            faults.append(f'cost of what --to wrote: {weighed.stderr[:200]}')
        planned = run('plan', 'found.yaml')
        if planned.returncode != 2 or '`cost`' not in planned.stderr:
            faults.append(f'plan of what --to wrote: {planned.stderr[:200]}')
        return faults


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with open(FOLDER / 'expect.csv') as file:
        rows = list(csv.DictReader(file))
    faults = [f'{row["file"]}: {found}, expected line {row["line"]}, LF{row["code"]}' for row in rows
              if (found := refused_as(program, row['file'])) != (row['line'], row['code'])]
    listed = {row['file'] for row in rows} | {'expect.csv'}
    faults += [f'{path.name} is not in expect.csv' for path in FOLDER.iterdir()
               if path.name not in listed]
    faults += endless_faults(program) + output_faults(program)
    if len(rows) < FEWEST or len({row['damage'] for row in rows}) < FEWEST_KINDS:
        faults.append(f'only {len(rows)} files')
    for fault in faults:
        print('BAD', fault)
    print(f'{len(rows)} broken files, {len(faults)} faults')
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
