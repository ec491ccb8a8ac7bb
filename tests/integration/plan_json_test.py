#!/usr/bin/env python3
"""The example that plans from JSON gives the answer of the command line, and errors with places.

Usage: plan_json_test.py EXAMPLE PROGRAM
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENARIO = ROOT / "data/scenarios/finetune-8b.yaml"


def asked(example, question):
    done = subprocess.run([example], input=json.dumps(question), capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def main():
    example, program = sys.argv[1:]
    question = {"verb": "plan", "scenario": SCENARIO.read_text(),
                "options": {"draws": 64, "reproducible": True}}
    status, answer = asked(example, question)
    assert status == 0, answer
    printed = subprocess.run([program, "plan", str(SCENARIO), "--draws", "64", "--reproducible",
                              "--format", "json"], capture_output=True, text=True, check=True)
    same = json.loads(printed.stdout)["answer"]
    for figures in (same, answer["answer"]):
        figures.pop("assumptions", None)  # These name the file,
        figures.pop("commands", None)     # and so do these.
    assert answer["answer"]["verdict"] == same["verdict"]
    assert answer["answer"]["options"] == same["options"]

    status, answer = asked(example, {"verb": "plan", "scenario": "loadfactor: 1\nserve: {}\nx: 1"})
    assert status == 2 and len(answer["errors"]) >= 2, answer
    assert all(error["line"] >= 1 for error in answer["errors"]), answer
    print("plans from JSON")


main()
