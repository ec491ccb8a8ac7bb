#!/usr/bin/env python3
"""Breaks one rule of the simulator at a time; the comparison with the reference must notice each.

Usage: tests/mutations.py [WORD]   (only mutations whose name holds WORD)
Needs g++, gtest and python3; uses every core; writes below a temporary folder only. A mutation is
a name, a file below src/, a text that stands in it exactly once, and what replaces it. Each is
compiled into the exactness test alone; a test that fails, or takes four times as much CPU time as
the sound one, has noticed.
"""
import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = ["-std=c++20", "-O1", "-DNDEBUG"]
TEST = "serving/simulator/exactness_test.cc"
LEFT_OUT = ("_test.cc", "tabulate.cc", "trace_arrivals.cc")
MOST_CPU_SECONDS = 1000  # What the sound test takes at most; a broken one has four times what that took.


def sources():
    """The files that the exactness test is made of, below src/."""
    files = [f for part in ("sim", "serving/simulator") for f in (ROOT / "src" / part).glob("*.cc")]
    names = [str(f.relative_to(ROOT / "src")) for f in files]
    names = [n for n in names if not n.endswith(LEFT_OUT)]
    return sorted(names) + ["base/random.cc", "base/check.cc", TEST]


def object_of(source):
    return source.replace("/", "_") + ".o"


def compiler():
    return ["ccache", "g++"] if shutil.which("ccache") else ["g++"]


def compile_one(source, folder, overlay=None):
    """Compiles src/source into folder; files below overlay come before those of the project."""
    own = overlay / source if overlay and (overlay / source).exists() else ROOT / "src" / source
    includes = ([f"-I{overlay}"] if overlay else []) + [f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}"]
    command = compiler() + FLAGS + includes + ["-MMD", "-c", str(own)]
    done = subprocess.run(command + ["-o", str(folder / object_of(source))], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{source} does not compile:\n{done.stderr}")


def link(objects, program):
    linker = ["-fuse-ld=lld"] if shutil.which("ld.lld") else []
    subprocess.run(["g++", *map(str, objects), *linker, "-lgtest", "-lgtest_main", "-pthread", "-o",
                    str(program)], check=True)


def passes(program, most=MOST_CPU_SECONDS):
    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    return subprocess.run([str(program), "--gtest_brief=1"], capture_output=True, check=False,
                          preexec_fn=bound).returncode == 0


def depends(folder, source, changed):
    return changed in (folder / object_of(source)).with_suffix(".d").read_text()


def survives(mutation, sound, index, most):
    """Whether the test still passes with this mutation in place."""
    name, file, old, new = mutation
    folder = sound / f"mutation-{index}"
    overlay = folder / "src"
    (overlay / file).parent.mkdir(parents=True)
    text = (ROOT / "src" / file).read_text()
    if text.count(old) != 1:
        raise SystemExit(f"{name}: stands {text.count(old)} times in {file}: {old}")
    (overlay / file).write_text(text.replace(old, new))
    objects = []
    for source in sources():
        if source == file or (file.endswith(".h") and depends(sound, source, f"src/{file}")):
            compile_one(source, folder, overlay)
            objects.append(folder / object_of(source))
        else:
            objects.append(sound / object_of(source))
    link(objects, folder / "broken")
    result = passes(folder / "broken", most)
    shutil.rmtree(folder)
    return result


def read_mutations(path):
    """Records of `## name`, `@ file`, `- old` lines and `+ new` lines."""
    mutations = []
    for block in re.split(r"^## ", path.read_text(), flags=re.M)[1:]:
        lines = block.splitlines()
        part = lambda mark: "\n".join(l[2:] for l in lines[1:] if l.startswith(mark + " "))
        mutations.append((lines[0], part("@"), part("-"), part("+")))
    return mutations


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [m for m in read_mutations(ROOT / "tests/mutations.txt") if word in m[0]]
    for name, file, old, _ in chosen:
        count = (ROOT / "src" / file).read_text().count(old)
        if not old or count != 1:
            raise SystemExit(f"{name}: stands {count} times in {file}:\n{old}")
    survivors = []
    with tempfile.TemporaryDirectory() as temporary:
        sound = pathlib.Path(temporary)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda s: compile_one(s, sound), sources()))
            link([sound / object_of(s) for s in sources()], sound / "sound")
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            if not passes(sound / "sound"):
                raise SystemExit("the test fails before anything is broken")
            taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            most = int(4 * taken) + 1
            tries = {pool.submit(survives, m, sound, i, most): m[0] for i, m in enumerate(chosen)}
            for done in concurrent.futures.as_completed(tries):
                if done.result():
                    survivors.append(tries[done])
                print(("SURVIVES: " if done.result() else "noticed:  ") + tries[done], flush=True)
    print(f"{len(chosen) - len(survivors)} noticed, {len(survivors)} survive")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
