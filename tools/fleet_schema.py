#!/usr/bin/env python3
"""Writes data/schema/fleet-file.schema.json: the keys of a fleet around the sections of a scenario.

usage: tools/fleet_schema.py write | check
A fleet describes services, runs and money with the very sections of a scenario, so that they are
taken from data/schema/scenario.schema.json. `check` fails where the file is not what would be
written.
"""
import copy
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "schema"
TARGET = FOLDER / "fleet-file.schema.json"
KINDS = ["serve", "batch", "train", "fine_tune", "reserved", "scenario"]


def ref(name, description):
    return {"description": description, "$ref": f"#/definitions/{name}"}


def count(description, least=1, most=1_000_000):
    return {"description": description, "type": ["integer", "null"], "minimum": least, "maximum": most}


def text(description):
    return {"description": description, "type": "string", "minLength": 1}


def maybe(description):
    return {"description": description, "type": ["boolean", "null"]}


def run_section(train):
    """A run as in a scenario; its deadline stands beside it, and it says how long it is."""
    section = copy.deepcopy(train)
    section["type"] = "object"
    del section["properties"]["deadline"]
    section["required"] = sorted({*section.get("required", []), "tokens"})
    return section


def batch_section(serve):
    keep = {key: copy.deepcopy(serve["properties"][key]) for key in ("model", "precision", "deployment")}
    return {
        "description": "Items that a model works through",
        "type": "object",
        "additionalProperties": False,
        "required": ["model", "items", "tokens_in", "tokens_out"],
        "properties": {
            **keep,
            "items": ref("requests", "Requests of one batch"),
            "tokens_in": ref("tokens", "Prompt of a mean item"),
            "tokens_out": {
                "description": "Answer of a mean item; 0 where a model embeds or scores",
                "anyOf": [{"$ref": "#/definitions/tokens"}, {"const": 0}],
            },
            "every": ref("seconds", "Time after which the next batch comes, a day or more"),
        },
    }


def reserved_section():
    return {
        "description": "GPUs that others hold: the jobs of a trace, or so many at all times",
        "type": "object",
        "additionalProperties": False,
        "oneOf": [{"required": ["jobs"]}, {"required": ["gpus"]}],
        "properties": {"jobs": text("A trace of jobs, such as sacct.csv"), "gpus": count("GPUs at all times")},
    }


def workload(scenario):
    parts = scenario["properties"]
    serve = copy.deepcopy(parts["serve"])
    serve["type"] = "object"
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "oneOf": [{"required": [kind]} for kind in KINDS],
        "properties": {
            "name": text("What to call it; each has a name of its own"),
            "serve": serve,
            "batch": batch_section(parts["serve"]),
            "train": run_section(parts["train"]),
            "fine_tune": run_section(parts["train"]),
            "reserved": reserved_section(),
            "scenario": text("A scenario in a file of its own"),
            "pools": {
                "description": "Where it may run; any pool unless said",
                "type": ["array", "string", "null"],
                "items": {"type": "string", "minLength": 1},
            },
            "gpus": count("GPUs of a run; unless said the fewest, doubling, that end in time"),
            "earliest": ref("seconds", "From the start of the horizon, or of each period of a batch"),
            "deadline": ref("seconds", "From the same start"),
            "preemptible": maybe("Whether it may be interrupted"),
            "value": {
                "description": "What is lost where it does not run: 20 K USD/month, or 500 USD once",
                "type": ["string", "null"],
                "pattern": "USD|\\$",
            },
            "api": maybe("false: tokens may not be bought instead"),
            "priority": count("Where there is no room for all, the higher one stays", 0, 100),
        },
    }


def pool(region):
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["name", "accelerator"],
        "properties": {
            "name": text("What to call it"),
            "accelerator": text("The chip of all its machines"),
            "region": {**copy.deepcopy(region), "description": "Where it stands; else money.region"},
            "gpus": count("The most there can be"),
            "shared": maybe("false: each workload has machines of its own"),
        },
    }


def fleet(scenario):
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A fleet",
        "description": "Workloads on shared or separate pools of machines, for `loadfactor fleet`.",
        "type": "object",
        "additionalProperties": False,
        "required": ["loadfactor", "name", "pools", "workloads"],
        "properties": {
            "loadfactor": {"description": "The version of these keys", "const": 1},
            "name": text("What to call this fleet"),
            "horizon": {
                "description": "What is planned; a week that repeats unless some work needs longer",
                "type": ["string", "null"],
                "enum": ["week", "year", None],
            },
            "pools": {
                "description": "Machines that look alike",
                "type": ["array", "object"],
                "minItems": 1,
                "maxItems": 6,
                "items": pool(scenario["properties"]["money"]["properties"]["region"]),
            },
            "money": copy.deepcopy(scenario["properties"]["money"]),
            "workloads": {
                "description": "Who wants to run",
                "type": ["array", "object"],
                "minItems": 1,
                "items": workload(scenario),
            },
        },
        "definitions": copy.deepcopy(scenario["definitions"]),
    }


def main():
    scenario = json.loads((FOLDER / "scenario.schema.json").read_text(encoding="utf-8"))
    written = json.dumps(fleet(scenario), indent=1, ensure_ascii=False) + "\n"
    if sys.argv[1:] == ["write"]:
        TARGET.write_text(written, encoding="utf-8")
        return 0
    if sys.argv[1:] == ["check"]:
        is_same = TARGET.exists() and TARGET.read_text(encoding="utf-8") == written
        if not is_same:
            print(f"{TARGET}: not what tools/fleet_schema.py write makes of the scenario's schema")
        return 0 if is_same else 1
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
