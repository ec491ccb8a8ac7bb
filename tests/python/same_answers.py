#!/usr/bin/env python3
"""The same bytes from Python as from the command line, for the scenarios that ship.

Usage: same_answers.py PACKAGE_FOLDER PROGRAM quick|all
"""
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, sys.argv[1])
PROGRAM = os.path.abspath(sys.argv[2])
os.chdir(ROOT)
import loadfactor as lf  # noqa: E402

DRAWS = {"draws": 256}
# Verbs that read a section of a scenario, and how the command line asks the same where it has
# another name for it.
BY_SECTION = {"serve": ["serve", "fill", "size", "simulate"], "train": ["train", "search", "scale"]}
ALIASES = {"size": ["serve", "--search"], "simulate": ["serve", "--simulate"],
           "search": ["train", "--search"], "scale": ["train", "--scale"]}


def shipped(folder="."):
    return sorted(str(path) for path in pathlib.Path("data/scenarios", folder).glob("*.yaml"))


def asks(path, section):
    return any(line.startswith(section + ":") for line in pathlib.Path(path).read_text().splitlines())


def quick():
    for path in shipped("cost")[:4]:
        yield "cost", [path], {}
    yield "train", ["data/scenarios/train-llama-70b-512-h100.yaml"], {}
    yield "train", ["data/scenarios/train-llama-405b-16384-h100.yaml"], {}
    yield "audit", [shipped("audits")[0]], {}
    yield "fit", ["llama-3.3-70b"], {"gpu": "h100-sxm", "tp": 4}
    yield "catalog", ["gpus"], {}
    yield "explain", ["mfu", "data/scenarios/train-llama-70b-512-h100.yaml"], {}


def everything():
    yield from quick()
    for path in shipped("cost"):
        yield "cost", [path], {}
    for path in shipped("audits"):
        yield "audit", [path], {}
    for path in shipped():
        for section, verbs in BY_SECTION.items():
            yield from ((verb, [path], {}) for verb in verbs if asks(path, section))
        if asks(path, "money"):
            yield "cost", [path], DRAWS
        yield "plan", [path], DRAWS
    for model in ("llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-20b"):
        yield "fit", [model], {"gpu": "h200-sxm"}
    for path in shipped("fleet"):
        yield "fleet", [path], {}


def printed(verb, words, options):
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    done = subprocess.run([PROGRAM, *ALIASES.get(verb, [verb]), *words, *flags, "--format", "json",
                           "--reproducible"],
                          capture_output=True, text=True, check=False)
    return done.stdout, done.returncode


def answered(verb, words, options):
    try:
        answer = getattr(lf, verb)(*words, **options)
    except lf.Error as error:
        return "", error.exit_status
    return answer.to_json(), answer.exit_status


def main():
    cases = list(quick() if sys.argv[3] == "quick" else everything())
    wrong = []
    for verb, words, options in cases:
        began = time.monotonic()
        theirs, ours = printed(verb, words, options), answered(verb, words, options)
        is_same = theirs == ours
        print(f"{'same' if is_same else 'DIFFERENT':9} {len(ours[0]):8} bytes, status {ours[1]}, "
              f"{time.monotonic() - began:6.1f} s  {verb} {' '.join(words)}", flush=True)
        if not is_same:
            wrong.append((verb, words))
    answers = sum(1 for _ in cases) - len(wrong)
    print(f"{answers} of {len(cases)} answers are the same")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
