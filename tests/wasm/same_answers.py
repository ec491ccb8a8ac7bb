#!/usr/bin/env python3
"""The same answers from the module for pages, in node, as from the command line.

Usage: same_answers.py PROGRAM FOLDER quick|all       FOLDER: what `make wasm` made

Every figure, word and key is compared. Bytes are the same but where a library function of the two machines
rounds otherwise: a number may differ by one part in 10^9, what an input or a choice is worth, or its share, may be
another zero by rounding, and a bar of a tornado may be missing that is no wider than that. How many answers
are not in the same bytes is printed.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-9
# What differences of equal figures leave by rounding: dollars a month, percent.
ZEROS = {"worth_per_month": 1e-6, "mean_regret": 1e-6, "total_pct": 1e-9, "first_pct": 1e-9}
# Shipped scenarios whose plans take the program a second or two.
QUICK_PLANS = ("finetune-8b", "pretrain-70b-512", "coding-assistant")


def shipped(folder="."):
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "data/scenarios" / folder).glob("*.yaml"))


def asks(path, section):
    return any(line.startswith(section + ":") for line in (ROOT / path).read_text().splitlines())


def cases(which):
    """(verb, model or scenario, options) of each question."""
    for model in ("llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-20b", "qwen2.5-coder-32b"):
        for gpu in ("h100-sxm", "h200-sxm", "mi355x", "b200"):
            yield "fit", model, {"gpu": gpu}
    yield "fit", "llama-3.3-70b", {"gpu": "h100-sxm", "tp": "4", "quant": "fp8", "context": "8192"}
    yield "fit", "no-such-model", {"gpu": "h100-sxm"}
    for path in shipped("cost"):
        yield "cost", path, {}
    for path in shipped():
        if asks(path, "serve"):
            yield "serve", path, {}
        if asks(path, "money"):
            yield "cost", path, {"draws": "256"}
        if which == "all" or pathlib.Path(path).stem in QUICK_PLANS:
            yield "plan", path, {"draws": "256"}
    yield "plan", "data/scenarios/coding-assistant.yaml", {"gate": "nonsense"}


def question(verb, subject, options):
    options = {**options, "reproducible": True, "today": datetime.datetime.now(datetime.timezone.utc).date().isoformat()}
    if verb == "fit":
        return {"verb": verb, "options": {"model": subject, **options}}
    return {"verb": verb, "files": {subject: (ROOT / subject).read_text()}, "options": {"scenario": subject, **options}}


def printed(program, verb, subject, options):
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    done = subprocess.run([program, verb, subject, *flags, "--format", "json", "--reproducible"], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    return done.stdout


def near(one, other, zero=0):
    return abs(one - other) <= max(TOLERANCE * max(abs(one), abs(other)), zero)


def moves_something(bar):
    low, high = bar["at_low"]["value"], bar["at_high"]["value"]
    return not near(low, high) or bar["cheapest_low"] != bar["cheapest_high"]


def differences(ours, theirs, path=""):
    """(path, words) of what is not the same; how far numbers are apart goes to `drift`."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if list(ours) != list(theirs):
            yield path, f"keys {list(ours)} and {list(theirs)}"
            return
        for key in ours:
            yield from differences(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        if path.endswith(".tornado"):
            ours, theirs = ([bar for bar in bars if moves_something(bar)] for bars in (ours, theirs))
        if len(ours) != len(theirs):
            yield path, f"{len(ours)} and {len(theirs)} items"
            return
        for index, (one, other) in enumerate(zip(ours, theirs)):
            yield from differences(one, other, f"{path}[{index}]")
    elif isinstance(ours, float) and isinstance(theirs, (int, float)) or isinstance(theirs, float) and isinstance(ours, int):
        if not near(ours, theirs, max((least for key, least in ZEROS.items() if key in path), default=0)):
            yield path, f"{ours!r} and {theirs!r}"
    elif ours != theirs:
        yield path, f"{ours!r} and {theirs!r}"


class Module:
    """The module, in one process that stays."""

    def __init__(self, folder):
        self.process = subprocess.Popen(["node", str(ROOT / "tests/wasm/ask.cjs"), folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, asked):
        """(answer, CPU seconds)."""
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        said = json.loads(self.process.stdout.readline())
        return said["answer"], said["seconds"]


def main():
    program, folder, which = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    module, wrong, count, bytes_apart, slowest = Module(folder), 0, {}, 0, {}
    for verb, subject, options in cases(which):
        answer, seconds = module.ask(question(verb, subject, options))
        expected = printed(program, verb, subject, options)
        count[verb] = count.get(verb, 0) + 1
        slowest[verb] = max(slowest.get(verb, 0), seconds)
        if not expected:  # What is refused has errors on both sides.
            found = [] if '"errors"' in answer else [("", "an answer where the program refuses")]
        elif answer.rstrip("\n") == expected.rstrip("\n"):
            continue
        else:
            bytes_apart += 1
            try:
                found = list(differences(json.loads(answer), json.loads(expected)))
            except ValueError:
                found = [("", answer[:200])]
        if found:
            wrong += 1
            print(f"{verb} {subject} {options}: {len(found)} differ, such as")
            for path, words in found[:5]:
                print(f"  {path}: {words}")
    print("; ".join(f"{verb}: {number} asked, the slowest in {slowest[verb]:.2f} CPU s" for verb, number in count.items()))
    print(f"{wrong} answers differ; {bytes_apart} not in the same bytes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
