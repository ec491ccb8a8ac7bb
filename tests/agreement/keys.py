#!/usr/bin/env python3
"""No key is dropped without a word: each one is changed, and every verb must take notice of it.

    keys.py BINARY [--folder DIR] [--only TEXT] [--verbs serve,cost] [--jobs N]

For every key and verb the answer must change, or the verb must refuse the value, or a notice of
its own must name the key or the section that it stands in. Prints the keys that are dropped, and
ends with 1 if any is.
"""

import argparse
import concurrent.futures
import copy
import json
import pathlib
import re
import sys
import tempfile

import program
import scenarios

WAYS = ["on-demand", "reserved-1y", "reserved-3y", "spot", "own", "api"]


def a_service():
    tree = scenarios.service("keys", "llama-3.3-70b", precision="fp8", gpus=64,
                             options=WAYS, deployment={"gpu": "h100-sxm", "tp": 2},
                             demand={"requests_per_second": 0.5, "tokens_in": 9000,
                                     "tokens_out": 900, "shape": "chat"})
    tree["money"]["api"] = {"input": "0.2 USD/M tokens", "output": "0.4 USD/M tokens",
                            "cached_share": "20 %"}
    return tree


def a_rented_service():
    tree = a_service()
    tree["money"]["options"] = ["on-demand"]
    del tree["money"]["api"]
    return tree


def a_run():
    return {"loadfactor": 1, "name": "keys",
            "train": {"model": "llama-3.1-8b", "precision": "bf16", "tokens": "200 B",
                      "sequence": 4096, "global_batch": 512, "deadline": "900 days",
                      "layout": {"gpus": 64, "tp": 2, "pp": 1}},
            "hardware": ["h100-sxm"], "limits": {"gpus": 64},
            "money": {"options": [way for way in WAYS if way != "api"]}}


def a_machine():
    return {"loadfactor": 1, "name": "keys",
            "capacity": {"gpus": 64, "rate": "1200 tokens/s/GPU", "load_factor": "40 %"},
            "hardware": ["h100-sxm"], "money": {"options": WAYS, "api": {
                "input": "0.2 USD/M tokens", "output": "0.4 USD/M tokens", "cached_share": "20 %"}}}


# The base scenarios, and the verbs that are asked about each.
BASES = {
    "service": (a_service, ("serve", "simulate", "size", "fill", "cost", "plan")),
    "rented": (a_rented_service, ("serve", "size", "fill", "cost", "plan")),
    "run": (a_run, ("train", "cost", "plan")),
    "machine": (a_machine, ("cost",)),
}
VERBS = {
    "serve": "serve", "simulate": "serve --simulate --requests 400",
    "size": "serve --search --confirm 1", "fill": "fill", "cost": "cost --draws 64",
    "plan": "plan --draws 64", "train": "train",
}

MONEY = {
    "money.electricity": "0.31 USD/kWh", "money.region": "germany", "money.people": "9000 USD/month",
    "money.horizon": "17 months", "money.path": [0.9, 0.7], "money.as_of": "2026-01-02",
    "money.claimed_break_even": "17 %",
    "money.own.life": "30 months", "money.own.residual": "31 %", "money.own.discount": "19 %",
    "money.own.price": "41000 USD", "money.own.all_in": "3.3 USD/GPU-hour",
    "money.own.power": "1900 W", "money.own.electrical_load": "37 %",
    "money.own.idle_power": "11 %", "money.own.pue": 1.77, "money.own.space": "411 USD/kW/month",
    "money.own.build": True, "money.own.maintenance": "11 %", "money.own.insurance": "3 %",
    "money.own.staff": "0.9 USD/GPU-hour", "money.own.software": "0.8 USD/GPU-hour",
    "money.own.availability": "83 %", "money.own.resale": "0.2 USD/GPU-hour",
    "money.own.most": 1, "money.own.as_of": "2026-01-02",
    "money.rent.on_demand": "9.9 USD/GPU-hour", "money.rent.reserved_1y": "6.1 USD/GPU-hour",
    "money.rent.reserved_3y": "5.1 USD/GPU-hour", "money.rent.spot": "4.4 USD/GPU-hour",
    "money.rent.provider": "lambda", "money.rent.commit": "77 %", "money.rent.support": "13 %",
    "money.rent.goodput_loss": "17 %", "money.rent.surcharge": "21 %",
    "money.rent.platform": "sagemaker", "money.rent.storage": "900 USD/month",
    "money.rent.egress": "800 USD/month", "money.rent.debugging": "700 USD/month",
    "money.rent.setup": "60000 USD",
    "money.spot.interrupted": "61 %", "money.spot.loss": "2 h", "money.spot.wait": "5 h",
    "money.spot.gang": 3,
    "money.api.cached": "0.01 USD/M tokens", "money.api.input_share": "12 %",
    "money.api.cached_share": "66 %", "money.api.half_life": "7 months",
    "money.api.limit": "3 tokens/s",
    "money.waiting": {"gain": 1.9, "wait": "7 months"},
    "money.rent_process": {"drift": "-31 %", "volatility": "44 %"},
    "money.uncertainty.rent": "71 %", "money.uncertainty.load_factor": "61 %",
    "money.alternatives": [{"name": "other", "hardware": "mi300x", "price": "22000 USD",
                            "performance": 1.1}],
}
PLACE = {
    "limits.rack_power": "5 kW", "limits.site_power": "9 kW", "limits.budget": "1000 USD",
    "limits.headroom": "43 %", "limits.gpus": 1,
    "facility.node": "dgx-h200", "facility.gpu_power": "555 W", "facility.power_cap": "444 W",
    "facility.cooling": "immersion", "facility.network": {"topology": "dragonfly"},
    "facility.host": {"checkpoint": "7 TB"},
}
CAPACITY = {"capacity": {"gpus": 3, "rate": "900 tokens/s/GPU", "load_factor": "11 %"}}
SERVICE = {
    "serve.precision": "bf16", "serve.slo.ttft_p95": "900 ms", "serve.slo.e2e_p99": "2 s",
    "serve.demand.tokens_in": 4800, "serve.demand.tokens_out": 900, "serve.demand.shape": "global-chat",
    "serve.demand.requests_per_second": 1.5,
    "serve.deployment.tp": 4, "serve.deployment.replicas": 7, "serve.deployment.engine": "sglang",
    "serve.deployment.cp": 2, "serve.deployment.max_seqs": 3, "serve.deployment.chunk": 300,
    "serve.deployment.kv": "fp8", "serve.deployment.memory_fraction": 0.93,
    "serve.deployment.prefix_hits": "71 %", "serve.deployment.urgent": "22 %",
    "serve.deployment.preemption": "swap", "serve.deployment.router": "session",
    "serve.deployment.timeout": "1 s", "serve.deployment.first_token_timeout": "40 ms",
    "serve.deployment.max_waiting": 1,
    "serve.deployment.speculation": {"tokens": 4, "acceptance": "70 %", "draft": "12 %"},
    "serve.deployment.lora": {"rank": 64, "active": 9},
    "serve.deployment.filler": {"tokens_in": 900, "tokens_out": 90},
}
TRAIN = {
    "train.precision": "fp8", "train.tokens": "900 B", "train.deadline": "2 days",
    "train.sequence": 16384, "train.global_batch": 128, "train.layout.tp": 4,
    "train.layout.zero": 3, "train.layout.micro_batch": 2, "train.layout.recompute": "full",
    "train.failures.spares": 5, "train.failures.restart": "3 h", "train.failures.repair": "90 days",
    "train.stack.framework": "deepspeed", "train.lora": {"rank": 16},
}
KEYS = {
    "service": {**MONEY, **PLACE, **CAPACITY, **SERVICE, "train": a_run()["train"]},
    "rented": {**MONEY, **PLACE},
    "run": {**MONEY, **PLACE, **CAPACITY, **TRAIN, "serve": a_service()["serve"]},
    "machine": {**MONEY, **PLACE, "serve": a_service()["serve"], "train": a_run()["train"],
                "capacity.most_load": "41 %", "capacity.node": 4, "capacity.load_factor": "71 %"},
}


def changed(tree, path, value):
    tree = copy.deepcopy(tree)
    *way, key = path.split(".")
    part = tree
    for step in way:
        part = part.setdefault(step, {})
    part[key] = value
    return tree


def names(path, text):
    """Whether a notice names a key, or a section that it stands in."""
    steps = path.split(".")
    starts = [".".join(steps[:count]) for count in range(1, len(steps) + 1)]
    ways = starts + ([steps[-1]] if path.startswith("serve.deployment.") else [])
    return any(re.search(rf"(?<![\w.]){re.escape(way)}(?![\w]|\.\w)", text) for way in ways)


def without_places(answer, name):
    return re.sub(re.escape(name) + r"(:\d+)*", "FILE", json.dumps(answer))


class Examiner:
    def __init__(self, prog, folder):
        self.prog, self.folder, self.bases = prog, folder, {}

    def ask(self, verb, name, tree):
        (self.folder / name).write_text(json.dumps(tree, indent=1))
        return self.prog.ask(VERBS[verb], name)

    def base(self, base, verb):
        name = f"base-{base}-{verb}.json"
        reply = self.ask(verb, name, BASES[base][0]())
        if reply.status not in (0, 3) or not reply.answer:
            sys.exit(f"{verb} does not answer about the base '{base}': {reply.errors}")
        return without_places(reply.answer, name)

    def fault(self, question):
        """What is wrong with one key in one verb; nothing where it is taken notice of."""
        base, verb, path, value, before = question
        name = f"{base}-{verb}-{path}.json"
        reply = self.ask(verb, name, changed(BASES[base][0](), path, value))
        if reply.status in (2, 3) and not reply.answer:
            return None if reply.refusal else f"{verb}, {base}: {path} is refused without a code"
        if reply.status not in (0, 3) or not reply.answer:
            return f"{verb}, {base}: {path} ends with {reply.status}: {reply.errors.strip()[-150:]}"
        if without_places(reply.answer, name) != before:
            return None
        if any(names(path, notice["text"]) for notice in reply.document["notices"]):
            return None
        return f"{verb}, {base}: {path} is dropped without a word"


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--folder", help="where the scenarios are written; a new one unless said")
    parser.add_argument("--only", default="", help="part of a key")
    parser.add_argument("--verbs", default=",".join(VERBS))
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main():
    arguments = read_arguments()
    asked = arguments.verbs.split(",")
    with tempfile.TemporaryDirectory() as fresh, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = pathlib.Path(arguments.folder or fresh)
        folder.mkdir(parents=True, exist_ok=True)
        examiner = Examiner(program.Program(pathlib.Path(arguments.binary).resolve(), folder, 60),
                            folder)
        questions = []
        for base, (_, verbs) in BASES.items():
            for verb in (verb for verb in verbs if verb in asked):
                before = examiner.base(base, verb)
                questions += [(base, verb, path, value, before)
                              for path, value in KEYS[base].items() if arguments.only in path]
        faults = [fault for fault in pool.map(examiner.fault, questions) if fault]
    print("\n".join(faults))
    print(f"{len(questions)} keys asked of verbs, {len(faults)} dropped")
    return 1 if faults or not questions else 0


if __name__ == "__main__":
    sys.exit(main())
