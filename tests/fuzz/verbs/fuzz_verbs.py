#!/usr/bin/env python3
"""Asks mutated questions of every verb, and holds each reply to what must always be true.

    fuzz_verbs.py PROGRAM [--library LIB] [--seconds N] [--seed N] [--only VERB,VERB] [--folder DIR]
    fuzz_verbs.py PROGRAM [--library LIB] --replay FILE...
    fuzz_verbs.py --write-seeds FILE         what driver/ starts from, many questions in one process
    fuzz_verbs.py --check-samples FILE       its answers, against their schemas and all rules

The same seed gives the same questions. Questions go to the library, many to a process; every
fiftieth, and all that need files beyond a question, to the program. Each verb gets the same CPU
time. A failing case is made smaller and written to the folder as JSON; --replay asks it again. Ends
with 1 if anything failed.
"""

import argparse
import collections
import copy
import dataclasses
import hashlib
import json
import pathlib
import random
import signal
import sys
import time

import minimise
from asking import Library, Program
from case import Case
from guard import Note, in_child
from mutate import Mutator
from oracles import Oracles
from seeds import ROOT, Seeds, known_words

PROGRAM_EVERY = 50
LEAST_CPU = 0.002    # That a question is counted with, so that quick verbs do not starve the others.
MOST_FAILURES = 200  # Kinds of failure that are kept.


@dataclasses.dataclass
class Count:
    asked: int = 0
    answered: int = 0
    by_program: int = 0
    cpu: float = 0.0
    slowest: float = 0.0
    largest: float = 0.0
    failed: int = 0


@dataclasses.dataclass
class State:
    """What was done so far, and the question that is being asked."""
    counts: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(Count))
    found: dict = dataclasses.field(default_factory=dict)
    kind: str = ""
    case: Case = None


class Asker:
    """All that is asked about one case, and what is wrong with the replies."""

    def __init__(self, arguments):
        self.program = Program(arguments.program)
        self.library = Library(pathlib.Path(arguments.library).resolve()) if arguments.library else None
        self.oracles = Oracles(ROOT / "data" / "schema")

    def replies(self, case, with_program):
        """By the library, by the program, and by the program as a table."""
        if self.library and not case.needs_program:
            reply = self.library.ask(case)
            yield (reply, *self.oracles.of_library(case, reply))
            if not with_program:
                return
        reply = self.program.ask(case)
        complaints, answered = self.oracles.of_program(case, reply, "json")
        yield reply, complaints, answered
        if with_program and answered:
            reply = self.program.ask(case, "table")
            yield reply, self.oracles.of_program(case, reply, "table")[0], answered

    def complaints_of(self, case, with_program=True):
        return [one for _, complaints, _ in self.replies(case, with_program) for one in complaints]

    def safely(self, case, with_program=True):
        """The same of a case that may kill this process."""
        note = Note()
        death = in_child(lambda: note.write(self.complaints_of(case, with_program)))
        return [f"dies: {death}"] if death else note.read() or []


class Fuzzer:
    def __init__(self, arguments):
        self.asker = Asker(arguments)
        self.folder = pathlib.Path(arguments.folder)
        self.seed = arguments.seed
        self.state = State()
        self.note = Note()
        self.seeds, self.words = Seeds(), known_words()

    def mutated(self, kind, index):
        """The index-th question of a kind: a function of the seed alone."""
        draw = random.Random(f"{self.seed}/{kind}/{index}")
        case, pool = self.seeds.kinds[kind](draw)
        case = copy.deepcopy(case)
        mutator = Mutator(draw, self.words)
        if case.files and draw.random() < 0.97:
            name = next(iter(case.files))
            case.files[name] = mutator.mutate(case.files[name], pool)
        if "scenario" in case.options and draw.random() < 0.1:
            key = ".".join(draw.choice(self.words) for _ in range(draw.choice([1, 2, 3])))
            case.sets = [f"{key}={mutator.value(': ' + draw.choice(self.words))[2:]}"]
        return case

    def try_one(self, kind):
        count = self.state.counts[kind]
        index = count.asked
        count.asked += 1
        case = self.mutated(kind, index)
        self.state.kind, self.state.case = kind, case
        self.note.write(self.state)
        with_program = index % PROGRAM_EVERY == PROGRAM_EVERY - 1
        for number, (reply, complaints, answered) in enumerate(self.asker.replies(case, with_program)):
            count.answered += number == 0 and answered
            count.by_program += number > 0 or not self.asker.library or case.needs_program
            count.cpu += max(reply.cpu, LEAST_CPU)
            count.slowest = max(count.slowest, reply.cpu)
            count.largest = max(count.largest, reply.megabytes)
            for complaint in complaints:
                count.failed += 1
                self.keep(kind, case, complaint, with_program)

    def keep(self, kind, case, complaint, with_program):
        """Writes the first of each kind of failure, made smaller."""
        key = (kind, minimise.kind_of(complaint), complaint.split(" is ")[0][:50])
        if key in self.state.found or len(self.state.found) > MOST_FAILURES:
            return
        self.state.found[key] = complaint
        print(f"FAILS {kind}: {complaint[:300]}", flush=True)
        small = case
        if "too long" not in complaint:
            small = minimise.minimised(case, complaint, lambda one: self.asker.safely(one, with_program))
        self.folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(small.as_json().encode()).hexdigest()[:12]
        path = self.folder / f"{kind.replace(' ', '-')}-{minimise.kind_of(complaint)}-{name}.json"
        path.write_text(small.as_json())
        print(f"      {path}", flush=True)

    def work(self, kinds, end):
        """Questions until the time is over, each verb as much CPU time as the others."""
        signal.signal(signal.SIGTERM, stop)
        try:
            while time.monotonic() < end:
                self.try_one(min(kinds, key=lambda one: self.state.counts[one].cpu))
        except KeyboardInterrupt:
            print("stopped", flush=True)
        self.note.write(self.state)

    def run(self, seconds, only):
        kinds = [kind for kind in self.seeds.kinds if not only or kind in only.split(",")]
        if not kinds:
            sys.exit(f"no such verb; there are: {', '.join(self.seeds.kinds)}")
        end = time.monotonic() + seconds
        while death := in_child(lambda: self.work(kinds, end)):
            self.state = self.note.read() or self.state
            if self.state.case is None:
                sys.exit(f"no question could be asked: {death}")
            count = self.state.counts[self.state.kind]
            count.failed += 1
            count.cpu += 1
            self.keep(self.state.kind, self.state.case, f"dies: {death}", False)
        self.state = self.note.read() or self.state

    def report(self):
        print(f"{'verb':<20}{'asked':>8}{'answered':>10}{'program':>9}{'CPU s':>8}{'slowest':>9}{'MB':>6}{'failed':>8}")
        for kind, count in self.state.counts.items():
            print(f"{kind:<20}{count.asked:>8}{count.answered:>10}{count.by_program:>9}{count.cpu:>8.0f}"
                  f"{count.slowest:>9.2f}{count.largest:>6.0f}{count.failed:>8}")
        total = sum(count.asked for count in self.state.counts.values())
        print(f"seed {self.seed}: {total} questions, {len(self.state.found)} kinds of failure")


def stop(signum, frame):
    raise KeyboardInterrupt


def replay(asker, paths):
    failing = 0
    for path in paths:
        complaints = asker.safely(Case.from_json(pathlib.Path(path).read_text()))
        failing += bool(complaints)
        print(f"{path}: {'; '.join(complaints)[:400] if complaints else 'holds'}")
    return 1 if failing else 0


def check_samples(path):
    """Answers, one a line: how many were held to the rules, and what is wrong with them."""
    oracles, counts, wrong = Oracles(ROOT / "data" / "schema"), collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            counts[document.get("verb")] += 1
            wrong.update(f"{document.get('verb')}: {one}" for one in oracles.of_document(document))
    for complaint, times in wrong.most_common():
        print(f"FAILS {complaint[:300]} ({times} times)")
    print(f"{sum(counts.values())} answers: {', '.join(f'{name} {count}' for name, count in counts.items())}; "
          f"{len(wrong)} kinds of failure")
    return 1 if wrong else 0


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--write-seeds", help="a file for the driver")
    parser.add_argument("--check-samples", help="answers that the driver kept")
    parser.add_argument("--library", help="libloadfactor.so; without it every question is a process")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="verbs, by their names in the report, with commas between them")
    parser.add_argument("--folder", default="build/fuzz-verbs", help="where failing cases are written")
    parser.add_argument("--replay", nargs="+", help="files of failing cases")
    arguments = parser.parse_args()
    if not (arguments.program or arguments.write_seeds or arguments.check_samples):
        parser.error("a program, --write-seeds or --check-samples")
    return arguments


def main():
    arguments = read_arguments()
    if arguments.write_seeds:
        pathlib.Path(arguments.write_seeds).write_text(json.dumps(Seeds().for_driver(known_words())))
        return 0
    if arguments.check_samples:
        return check_samples(arguments.check_samples)
    if arguments.replay:
        return replay(Asker(arguments), arguments.replay)
    fuzzer = Fuzzer(arguments)
    fuzzer.run(arguments.seconds, arguments.only)
    fuzzer.report()
    return 1 if fuzzer.state.found else 0


if __name__ == "__main__":
    sys.exit(main())
