#!/usr/bin/env python3
"""Runs the libFuzzer program of each reader, and prints a row for each.

    readers.py BUILD [--seconds N] [--runs N] [--only READER,READER]     fuzzes, until either is over
    readers.py BUILD --minimise [--only …]      keeps in tests/fuzz/corpus what reaches something new
    readers.py BUILD --coverage                 which share of each module the corpora reach

A run starts from the committed corpus and the inputs of the reader's tests, and adds what it finds
to BUILD/corpus/READER. A crash, a leak, a hang of ten seconds or 4 GB is a failure, whose input is
left in BUILD/corpus as crash-…; ends with 1 then.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / 'tests' / 'fuzz' / 'corpus'
BOUNDS = ['-rss_limit_mb=4096', '-timeout=10', '-verbosity=1', '-print_final_stats=1']
LARGEST = 64 << 10     # Of a committed input,
LARGEST_ALL = 256 << 10  # and of a reader's: nineteen of them stay below 5 MB.
FUNCTION = re.compile(r'^((?:UN)?COVERED)_FUNC: (?:hits: \d+ )?edges: (\d+)/(\d+) (.*) (\S+):\d+$')


class Reader:
    def __init__(self, program):
        self.program = program
        self.name = program.name.removesuffix('_fuzzer')
        self.found = program.parent / 'corpus' / self.name
        self.committed = CORPUS / self.name

    def inputs(self):
        """Folders to read from, beside what was found."""
        folders = [self.committed, ROOT / 'tests' / self.name / 'good', ROOT / 'tests' / self.name / 'broken',
                   ROOT / 'tests' / 'broken' / self.name]
        return [str(folder) for folder in folders if folder.is_dir()]

    def run(self, *flags):
        self.found.mkdir(parents=True, exist_ok=True)
        return subprocess.run([str(self.program), *flags, *BOUNDS, f'-artifact_prefix={self.found.parent}/{self.name}-'],
                              capture_output=True, text=True, errors='replace',
                              env=dict(os.environ, ASAN_OPTIONS='detect_leaks=1'))

    def fuzz(self, seconds, runs):
        done = self.run(f'-max_total_time={seconds}', f'-runs={runs}', str(self.found), *self.inputs())
        said = done.stderr
        last = (re.findall(r'^#\d+\s+\w+\s+cov: (\d+) ft: (\d+)(?: corp: (\d+)/(\S+))?', said, re.MULTILINE) or [('0',) * 4])[-1]
        stats = dict(re.findall(r'^stat::(\w+):\s+(\d+)', said, re.MULTILINE))
        counters = (re.findall(r'\((\d+) inline 8-bit counters\)', said) or ['0'])[0]
        asked = int(stats.get('number_of_executed_units', 0))
        each = int(stats.get('average_exec_per_sec', 0))
        print(f'| {self.name} | {asked:,} | {each:,} | {int(last[0]):,} of {int(counters):,} | {int(last[1]):,} | '
              f'{last[2]} | {stats.get("peak_rss_mb", "?")} | {"none" if done.returncode == 0 else "FAILS"} |', flush=True)
        if done.returncode != 0:
            print(said[-4000:], flush=True)
        return done.returncode

    def minimise(self):
        """The smallest inputs that reach all that is reached, up to a size."""
        self.committed.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            done = self.run('-merge=1', folder, str(self.committed), str(self.found), *self.inputs())
            if done.returncode != 0:
                print(f'{self.name}: its corpus is left as it is\n{done.stderr[-4000:]}', flush=True)
                return done.returncode
            kept, total = [], 0
            for path in sorted(pathlib.Path(folder).iterdir(), key=lambda one: one.stat().st_size):
                total += path.stat().st_size
                if path.stat().st_size > LARGEST or total > LARGEST_ALL:
                    break
                kept.append(path)
            before = {path.read_bytes(): path.name for path in self.committed.iterdir()}
            shutil.rmtree(self.committed)
            self.committed.mkdir()
            for path in kept:
                shutil.copy(path, self.committed / before.get(path.read_bytes(), path.name))
        size = sum(path.stat().st_size for path in self.committed.iterdir())
        print(f'{self.name}: {len(before)} inputs before, {len(kept)} now, {size / 1024:.0f} KB', flush=True)
        return 0

    def functions(self):
        """(file, function, line): edges that were reached, and all of them."""
        done = self.run('-runs=0', '-print_coverage=1', *self.inputs())
        for line in done.stderr.splitlines():
            said = FUNCTION.match(line)
            if said and '/src/' in said[5]:
                yield (said[5].split('/src/', 1)[1], said[4]), (int(said[2]), int(said[3]))


def module_of(file):
    return str(pathlib.PurePath(file).parent)


def print_coverage(readers):
    """A function counts as reached as far as the reader that reaches most of it."""
    reached = {}
    for reader in readers:
        for key, (some, every) in reader.functions():
            reached[key] = max(reached.get(key, (0, every)), (some, every))
    modules = collections.defaultdict(lambda: [0, 0])
    for (file, _), (some, every) in reached.items():
        modules[module_of(file)][0] += some
        modules[module_of(file)][1] += every
    print('| module | edges | of | |\n|---|---|---|---|')
    for module, (some, every) in sorted(modules.items()):
        print(f'| {module} | {some:,} | {every:,} | {100 * some / every:.0f} % |')
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--seconds', type=int, default=60)
    parser.add_argument('--runs', type=int, default=-1)
    parser.add_argument('--only', default='')
    parser.add_argument('--minimise', action='store_true')
    parser.add_argument('--coverage', action='store_true')
    arguments = parser.parse_args()
    readers = [Reader(path.resolve()) for path in sorted(arguments.build.glob('*_fuzzer'))
               if not arguments.only or path.name.removesuffix('_fuzzer') in arguments.only.split(',')]
    if not readers:
        sys.exit(f'no fuzzers in {arguments.build}')
    if arguments.coverage:
        return print_coverage(readers)
    if arguments.minimise:
        return max(reader.minimise() for reader in readers)
    print('| reader | executions | a second | edges | features | inputs | most memory, MB | faults |\n'
          '|---|---|---|---|---|---|---|---|')
    return 1 if any([reader.fuzz(arguments.seconds, arguments.runs) for reader in readers]) else 0


if __name__ == '__main__':
    sys.exit(main())
