#!/usr/bin/env python3
"""Breaks one rule of a module at a time; its unit tests must notice each.

    tests/mutants.py MODULE[:FILE,...][+MODULE...]... [--build build/dev] [--most N] [--seed N]
                     [--ask N] [--report FILE]

All mutants of a module are compiled at once, each behind a question that the environment answers, so
that a mutant costs no compiler. Every unit test is run once alone, sound, and says which mutants it
comes past; a mutant is then asked of those tests only, the quick ones first, and the first that fails
ends the asking. What does not compile as a mutant is left out. A test that fails, crashes, or takes ten
times as long as the sound one, has noticed. MODULE is a folder below src, with a colon and names of
files (`cost_dates`, `*.cc`) where not all of it is meant, and with a plus the modules whose unit tests are asked as well as its
own; BUILD is a built tree, for its libraries. --most draws that many mutants of a module at random, and
--ask asks the tests of so many of those that compile. Prints the mutants that survive, with what the report said before of why they do ("because ..." below
their line); modules of the report that were not run stay in it. Ends with 1 if fewer than nine of ten
mutants of any module were noticed.
"""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST_SHARE = 0.9
COMPILER = [*(["ccache"] if shutil.which("ccache") else []), "g++", "-std=c++20", "-O1", "-w", "-D_GLIBCXX_ASSERTIONS", "-DFMT_SHARED", "-ffp-contract=off"]
QUICK_MS = 100  # Tests that take longer are asked last.
HEADER = """#pragma once
#include <cstdio>
#include <cstdlib>
inline const int lf_chosen_mutant =
    std::getenv("LF_MUTANT") == nullptr ? 0 : std::atoi(std::getenv("LF_MUTANT"));
struct LfReached {
  unsigned char table[100000];
  ~LfReached() {
    const char* path = std::getenv("LF_REACHED");
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
    if (file == nullptr) return;
    for (int i = 0; i < 100000; ++i) {
      if (table[i] != 0) std::fprintf(file, "%d ", i);
    }
    std::fclose(file);
  }
};
inline LfReached lf_reached;
inline bool lf_mutant(int number) {
  if (lf_reached.table[number] == 0) lf_reached.table[number] = 1;
  return lf_chosen_mutant == number;
}
"""
RELATION = re.compile(r"^([^<>=&|?]+) (<|<=|>|>=) ([^<>=&|?]+)$")
OTHER_RELATION = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OTHER_CALL = {"std::min(": "std::max(", "std::max(": "std::min(", "std::ceil(": "std::floor(",
              "std::floor(": "std::ceil("}


@dataclasses.dataclass
class Mutant:
    file: str
    line: int      # From 1.
    start: int     # What it replaces, in its line.
    end: int
    sound: str
    broken: str
    rule: str
    text: str      # All of its line.
    number: int = 0

    def written(self):
        """Sound unless this mutant is asked for."""
        return self.broken.replace("@", f"lf_mutant({self.number})")

    def describe(self):
        line = self.text.strip()
        if line.count(self.sound) < 2:
            return f"{self.file}:{self.line}: {self.rule}: `{self.sound.strip()}` in `{line}`"
        nth = self.text[:self.start].count(self.sound) + 1
        return f"{self.file}:{self.line}: {self.rule}: `{self.sound.strip()}` ({nth}) in `{line}`"


def closing(text, opening):
    """Where the bracket at `opening` ends in the line, or -1."""
    depth = 0
    for at in range(opening, len(text)):
        depth += text[at] in "([{"
        depth -= text[at] in ")]}"
        if depth == 0:
            return at
    return -1


def split_top(text, mark):
    """The parts between marks that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if depth == 0 and text.startswith(mark, at):
            parts.append((start, at))
            start = at + len(mark)
    return parts + [(start, len(text))]


def of_conditions(line):
    """Conditions turned round, and parts of them left out."""
    for found in re.finditer(r"\bif \(", line):
        start, end = found.end(), closing(line, found.end() - 1)
        text = line[start:end]
        if end < 0 or ";" in text or " = " in text:
            continue
        yield start, end, text, f"@ != static_cast<bool>({text})", "condition turned round"
        for mark, neutral in (("&&", "true"), ("||", "false")):
            parts = split_top(text, f" {mark} ")
            if len(parts) > 1:
                for a, b in parts:
                    yield start + a, start + b, text[a:b], f"(@ ? {neutral} : static_cast<bool>({text[a:b]}))", "part left out"


def of_relations(line):
    """Bounds that hold themselves or not."""
    for found in re.finditer(r"\b(?:if|while) \(|\breturn ", line):
        is_return = found[0].startswith("return")
        end = line.find(";", found.end()) if is_return else closing(line, found.end() - 1)
        text = line[found.end():end] if end >= 0 else ""
        match = RELATION.match(text)
        if match:
            other = f"{match[1]} {OTHER_RELATION[match[2]]} {match[3]}"
            yield found.end(), end, text, f"(@ ? ({other}) : ({text}))", "bound moved"


def of_calls(line):
    """The larger for the smaller, up for down."""
    for call, other in OTHER_CALL.items():
        for found in re.finditer(re.escape(call), line):
            end = closing(line, found.end() - 1)
            if end >= 0:
                inside = line[found.end():end]
                yield found.start(), end + 1, line[found.start():end + 1], \
                    f"(@ ? {other}{inside}) : {call}{inside}))", f"{call[:-1]} replaced"


def of_arithmetic(line):
    """A sign turned, or a factor doubled."""
    for found in re.finditer(r"(?<=[\w)\]]) ([-+*/]) (?=[A-Za-z_(\d])", line):
        if found[1] in "+-":
            written, rule = f" {found[1]} (@ ? -1 : 1) * ", "sign turned"
        else:
            written, rule = f" {found[1]} (@ ? 2 : 1) {found[1]} ", "doubled or halved"
        yield found.start(), found.end(), found[0], written, rule
    for found in re.finditer(r"^(\s+)([\w.\[\]>-]+) ([-+])= ([^;]+);$", line):
        other = "-" if found[3] == "+" else "+"
        yield found.start(2), len(line), line[found.start(2):], \
            f"{{ if (@) {found[2]} {other}= {found[4]}; else {found[2]} {found[3]}= {found[4]}; }}", "sum turned"


RULES = (of_conditions, of_relations, of_calls, of_arithmetic)


def mutants_of(path):
    """All mutants of a file; lines that are no code of a function are left alone."""
    mutants = []
    for number, line in enumerate((ROOT / path).read_text().split("\n"), 1):
        code = line.split("//")[0].rstrip()
        if not code.startswith(" ") or '"' in code or "constexpr" in code or "static_assert" in code:
            continue
        for rule in RULES:
            mutants += [Mutant(str(path), number, *found, text=code) for found in rule(code)]
    return mutants


def chosen_from(mutants, most, draw):
    """At most so many, no two in one place: they would stand inside each other."""
    draw.shuffle(mutants)
    taken, kept = {}, []
    for mutant in mutants:
        spans = taken.setdefault((mutant.file, mutant.line), [])
        if len(kept) < most and all(mutant.end <= a or mutant.start >= b for a, b in spans):
            spans.append((mutant.start, mutant.end))
            kept.append(mutant)
    for number, mutant in enumerate(sorted(kept, key=lambda one: (one.file, one.line, one.start)), 1):
        mutant.number = number
    return kept


def write_source(path, mutants, to):
    lines = (ROOT / path).read_text().split("\n")
    for mutant in sorted(mutants, key=lambda one: -one.start):
        line = lines[mutant.line - 1]
        lines[mutant.line - 1] = line[:mutant.start] + mutant.written() + line[mutant.end:]
    to.write_text("\n".join(lines))


class Copies:
    """The sources of a module with their mutants in them, in a folder that is included before src."""

    def __init__(self, folder, build):
        self.folder = folder
        (folder / "mutant.h").write_text(HEADER)
        self.flags = [f"-I{folder / 'src'}", f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}", f"-I{build / 'include'}",
                      f"-I{ROOT}", f'-DLF_SOURCE_DIR="{ROOT}"', "-include", str(folder / "mutant.h")]

    def path(self, name):
        return self.folder / name

    def write(self, name, mutants):
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        write_source(name, mutants, self.path(name))

    def compile(self, source, target, name="", mutants=()):
        """Compiles; mutants of `name` that do not are left out, and those that do come back."""
        mutants = list(mutants)
        while True:
            if name:
                self.write(name, mutants)
            done = subprocess.run([*COMPILER, *self.flags, "-c", str(source), "-o", str(target)],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return mutants
            wrong = {int(line) for line in re.findall(re.escape(name) + r":(\d+):\d+: error", done.stderr)}
            fewer = [one for one in mutants if one.line not in wrong]
            if len(fewer) == len(mutants):
                raise SystemExit(f"{source} does not compile:\n{done.stderr[-2000:]}")
            mutants = fewer

    def object_of(self, name):
        return self.folder / (name.replace("/", "_") + ".o")


def link(build, objects, program):
    """With all libraries that are built: that of the module has the sound ones, too, and the first is taken."""
    libraries = sorted(str(path) for path in build.glob("liblf_*.a"))
    subprocess.run(["g++", "-o", str(program), "-Wl,--allow-multiple-definition", *map(str, objects),
                    "-Wl,--start-group", *libraries, "-Wl,--end-group",
                    *"-lgtest_main -lgtest -lfmt -lyaml-cpp -lsqlite3 -lz -lpthread".split()], check=True)


class Tests:
    """Unit tests with all mutants of a module in them."""

    def __init__(self, program, pool):
        self.program = str(program)
        report = pathlib.Path(f"{program}.json")
        self.is_sound = self.run(0, 3000, [f"--gtest_output=json:{report}"])
        suites = json.loads(report.read_text())["testsuites"]
        self.ms = {f"{test['classname']}.{test['name']}": float(test["time"].rstrip("s")) * 1000
                   for suite in suites for test in suite["testsuite"]}
        names = sorted(self.ms, key=self.ms.get)
        self.past = dict(zip(names, pool.map(self.reached_by, names)))

    def run(self, number, seconds, words, reached=""):
        def bound():
            os.nice(10)  # Hundreds of runs give way to other work; compiling does not.
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        environment = dict(os.environ, LF_MUTANT=str(number), **({"LF_REACHED": reached} if reached else {}))
        done = subprocess.run([self.program, "--gtest_brief=1", *words], capture_output=True, check=False,
                              preexec_fn=bound, cwd=ROOT, env=environment)
        return done.returncode == 0

    def reached_by(self, name):
        """The mutants that a test comes past."""
        file = pathlib.Path(f"{self.program}-{name.replace('/', '-')}.reached")
        file.unlink(missing_ok=True)
        self.run(0, 3000, [f"--gtest_filter={name}"], str(file))
        return {int(number) for number in file.read_text().split()}

    def notice(self, number):
        """Whether a test fails: first all that are quick, then one after the other."""
        asked = [name for name, past in self.past.items() if number in past]
        quick = [name for name in asked if self.ms[name] <= QUICK_MS]
        for part in [quick] * bool(quick) + [[name] for name in asked if self.ms[name] > QUICK_MS]:
            most = int(sum(map(self.ms.get, part)) / 100) + 2
            if not self.run(number, most, ["--gtest_fail_fast", f"--gtest_filter={':'.join(part)}"]):
                return True
        return False


def reasons_in(path):
    """Why mutants survive, as an earlier report has it; by what is broken, not by its line."""
    reasons, last = {}, ""
    for line in path.read_text().split("\n") if path and path.exists() else []:
        if line.startswith("survives "):
            last = without_line(line)
        elif line.startswith("  because "):
            reasons[last] = line
    return reasons


def without_line(sentence):
    return re.sub(r"(\.(?:cc|h)):\d+:", r"\1:", sentence)


def prepared(module, words, others, arguments, folder, pool):
    """Unit tests with all mutants of a module that compile, of the files whose names are asked for."""
    build = pathlib.Path(arguments.build).resolve()
    everything = sorted((ROOT / "src" / module).glob("*.cc"))
    tests = [path for path in everything if path.stem.endswith("_test")] + \
        [path for other in others for path in sorted((ROOT / "src" / other).glob("*_test.cc"))]
    tests = [str(path.relative_to(ROOT)) for path in tests]
    sources = [str(path.relative_to(ROOT)) for path in everything if not path.stem.endswith("_test")]
    headers = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "src" / module).glob("*.h"))]
    asked = [path for path in headers + sources if not words or pathlib.Path(path).stem in words or
             any(fnmatch.fnmatch(pathlib.Path(path).name, word) for word in words)]
    mutants = chosen_from([one for path in asked for one in mutants_of(path)], arguments.most,
                          random.Random(arguments.seed))
    copies = Copies(folder, build)
    of_file = {path: [one for one in mutants if one.file == path] for path in headers + sources}
    kept = []
    for path in headers:
        if of_file[path]:
            alone = folder / "alone.cc"
            alone.write_text(f'#include "{path.removeprefix("src/")}"\n')
            kept += copies.compile(alone, folder / "alone.o", path, of_file[path])
    if not kept:  # What has no mutant in it is taken as it is built.
        sources = [path for path in sources if of_file[path]]
    for done in pool.map(lambda path: copies.compile(copies.path(path), copies.object_of(path), path, of_file[path]),
                         sources):
        kept += done
    is_built = not any(of_file[path] for path in headers) and all(built_test(build, path).exists() for path in tests)
    if not is_built:
        list(pool.map(lambda path: copies.compile(ROOT / path, copies.object_of(path)), tests))
    link(build, [copies.object_of(path) for path in sources] +
         [built_test(build, path) if is_built else copies.object_of(path) for path in tests], folder / "test")
    return kept


def built_test(build, path):
    """What the build made of a unit test."""
    target = str(pathlib.Path(path).parent.relative_to("src")).replace("/", "_")
    return build / "CMakeFiles" / f"{target}_test.dir" / f"{path}.o"


def examine(asked, arguments, report):
    """`economics`, `serving/simulator:policy,scaler` for some of its files, `resolve/serve+engine/serve`
    for tests that stand elsewhere, too."""
    meant, *others = asked.split("+")
    module, _, words = meant.partition(":")
    folder = pathlib.Path(arguments.build).resolve() / "mutants" / module  # The same again, for the compiler's cache.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        mutants = prepared(module, words.split(",") if words else [], others, arguments, folder, pool)
        if len(mutants) > arguments.ask:
            mutants = random.Random(arguments.seed).sample(mutants, arguments.ask)
        tested = Tests(folder / "test", pool)
        if not tested.is_sound:
            raise SystemExit(f"{module}: the tests fail before anything is broken")
        survivors = []
        for mutant, is_noticed in zip(mutants, pool.map(lambda one: tested.notice(one.number), mutants)):
            if not is_noticed:
                survivors.append(mutant)
                report(f"survives  {mutant.describe()}")
    share = 1 - len(survivors) / max(1, len(mutants))
    report(f"{asked}: {len(mutants)} mutants, {len(mutants) - len(survivors)} noticed, "
           f"{len(survivors)} survive ({100 * share:.0f} %)")
    return bool(mutants) and share >= LEAST_SHARE


def sections_of(path):
    """What a report says of each module, by what was asked; the lines before the first begin with #."""
    sections, lines = {"": []}, []
    for line in path.read_text().splitlines() if path.exists() else []:
        ended = re.match(r"(\S+): \d+ mutants, ", line)
        if line.startswith("#"):
            sections[""].append(line)
        else:
            lines.append(line)
        if ended:
            sections[ended[1]] = lines
            lines = []
    return sections


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("--most", type=int, default=99999, help="mutants of a module")
    parser.add_argument("--ask", type=int, default=99999, help="mutants of a module, of those that compile")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--report", help="a file that the lines are written to, too")
    arguments = parser.parse_args()
    path = pathlib.Path(arguments.report) if arguments.report else None
    reasons = reasons_in(path)
    all_well = True
    for module in arguments.modules:
        lines = []

        def report(line):
            said = [line] + [one for one in [reasons.get(without_line(line))] if one]
            lines.extend(said)
            print("\n".join(said), flush=True)
        all_well = examine(module, arguments, report) and all_well
        if path:
            sections = sections_of(path)
            sections[module] = lines
            path.write_text("\n".join(line for part in sections.values() for line in part) + "\n")
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main())
