"""The scenarios on which all verbs are compared: shipped, contradictory once, and generated.

A scenario is a tree of maps, so that it can be written as YAML and as JSON alike.
"""

import dataclasses
import json
import pathlib
import random
import re


@dataclasses.dataclass
class Case:
    """One scenario, and what is known about it before anything runs."""
    name: str
    tree: dict = None            # Written by this test, or …
    file: pathlib.Path = None    # … shipped, with …
    sets: tuple = ()             # … values that keep its simulations short.
    work: tuple = ()             # The sections that it has.
    is_written: bool = False     # The whole layout of one replica is in the file.
    has_twin: bool = False       # Also asked as JSON.
    is_explained: bool = False   # Also asked of `explain` and `diff`, which plan once or twice more.
    electricity: float = None    # USD per kWh, where the file states it.
    refused: str = None          # The code that every verb must refuse it with …
    seen_by: tuple = ()          # … or these alone, where the others need not look.

    def verbs_that_see(self, verbs):
        """The verbs whose refusals must be alike: those that read the scenario whole."""
        if self.seen_by:
            return self.seen_by
        # A layout that is left blank may not fit or miss a limit as `train` takes it, which is what
        # `cost` prices, and keep both as a search finds it.
        left_out = {"fit", "explain", "diff", "cost of the plan"} | \
            ({"train", "cost"} if "train" in self.work and not self.is_written else set())
        return tuple(verb for verb in verbs if verb not in left_out)


def sections_of(tree_or_text):
    if isinstance(tree_or_text, dict):
        return tuple(key for key in ("serve", "train", "capacity") if key in tree_or_text)
    return tuple(re.findall(r"^(serve|train|capacity):", tree_or_text, re.MULTILINE))


def as_yaml(tree, indent=0):
    """Block style, with lists on one line."""
    lines = []
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            lines.append(f"{' ' * indent}{key}:\n{as_yaml(value, indent + 2)}")
        elif isinstance(value, list):
            lines.append(f"{' ' * indent}{key}: [{', '.join(str(item) for item in value)}]\n")
        else:
            text = {True: "true", False: "false", None: ""}.get(value, value) \
                if isinstance(value, bool) or value is None else value
            lines.append(f"{' ' * indent}{key}: {text}\n")
    return "".join(lines)


def as_json(tree):
    return json.dumps(tree, indent=1) + "\n"


# Traffic that is light enough for a week of it to be simulated in an instant.
def service(name, model, *, gpu="h100-sxm", precision=None, demand=None, slo=None, deployment=None,
            gpus=8, options=("on-demand",), money=None, hardware=None):
    serve = {"model": model}
    if precision:
        serve["precision"] = precision
    serve["demand"] = demand or {"requests_per_day": 100, "tokens_in": 600, "tokens_out": 120}
    serve["slo"] = slo or {"ttft_p95": "5 s", "tpot_p95": "100 ms"}
    if deployment:
        serve["deployment"] = deployment
    return {"loadfactor": 1, "name": name, "serve": serve, "hardware": hardware or [gpu],
            "limits": {"gpus": gpus}, "money": {"options": list(options), **(money or {})}}


def layout(gpu, tp=1, pp=1, ep=1, dp=1, **more):
    return {"gpu": gpu, "tp": tp, "pp": pp, "ep": ep, "dp": dp, **more}


def case(tree, **more):
    return Case(name=tree["name"], tree=tree, work=sections_of(tree), **more)


def contradicted_once():
    """Questions that verbs answered differently before one resolver answered for all."""
    long_context = {"requests_per_hour": 20, "tokens_in": 128000, "tokens_out": 500}
    patient = {"ttft_p95": "60 s", "tpot_p95": "100 ms"}
    split = {"gpu": "h100-sxm", "prefill": {"tp": 2, "replicas": 1},
             "decode": {"tp": 2, "replicas": 1}}
    return [
        case(service("trillion-on-nvl72", "kimi-k2", gpu="gb200-nvl72", precision="bf16", gpus=72,
                     deployment={"gpu": "gb200-nvl72"}, options=["own"]), has_twin=True),
        case(service("released-in-mxfp4", "gpt-oss-120b"), is_explained=True),
        case(service("small-released-in-mxfp4", "gpt-oss-20b",
                     deployment=layout("h100-sxm")), is_written=True, has_twin=True),
        case(service("released-in-int4", "kimi-k2-thinking", gpu="b200", gpus=16)),
        case(service("released-in-fp8", "deepseek-v3", gpu="h200-sxm", gpus=16,
                     deployment=layout("h200-sxm", tp=8)), is_written=True),
        case(service("context-of-128k", "llama-3.1-8b", precision="fp8", demand=long_context,
                     slo=patient)),
        case(service("context-of-128k-written", "llama-3.1-8b", precision="fp8", demand=long_context,
                     slo=patient, deployment=layout("h100-sxm", tp=4)), is_written=True),
        case(service("pools-apart", "llama-3.1-8b", precision="fp8", deployment=split),
             is_written=True, has_twin=True),
        case(service("pools-apart-large", "llama-3.3-70b", precision="fp8", gpus=16, deployment={
            "gpu": "h100-sxm", "prefill": {"tp": 4, "replicas": 1},
            "decode": {"tp": 2, "replicas": 2}}), is_written=True),
        case(service("kv-auto", "llama-3.1-8b", precision="fp8",
                     deployment=layout("h100-sxm", kv="auto")), is_written=True, has_twin=True),
        case(service("kv-fp8", "llama-3.1-8b", precision="fp8",
                     deployment=layout("h100-sxm", kv="fp8")), is_written=True),
        case(service("electricity-rented", "llama-3.1-8b", precision="fp8",
                     money={"electricity": "0.2 USD/kWh"}, deployment=layout("h100-sxm")),
             is_written=True, electricity=0.2),
        case(service("electricity-owned", "llama-3.1-8b", precision="fp8",
                     options=["on-demand", "own"], money={"electricity": "0.2 USD/kWh"},
                     deployment=layout("h100-sxm")),
             is_written=True, electricity=0.2, is_explained=True, has_twin=True),
        case(service("tp-beyond-a-node", "llama-3.1-405b", precision="fp8", gpus=32,
                     deployment=layout("h100-sxm", tp=16)), is_written=True),
        case(service("several-replicas", "llama-3.1-8b", precision="fp8", gpus=32, demand={
            **long_context, "requests_per_hour": 1500}, slo=patient,
                     deployment=layout("h100-sxm", tp=4)), is_written=True),
        case(service("replicas-written", "llama-3.1-8b", precision="fp8",
                     deployment=layout("h100-sxm", tp=2, replicas=2)), is_written=True),
    ]


def run_by_every_way(name, most, tokens, **more):
    """A run whose ways to pay have goodputs and terms of their own."""
    train = {"model": "llama-3.1-8b", "precision": "bf16", "tokens": tokens, "sequence": 4096,
             "global_batch": 512,
             "layout": {"tp": 2, "pp": 1, "vp": 1, "cp": 1, "ep": 1, "etp": 1, "zero": 1,
                        "micro_batch": 1, "recompute": "selective", "sequence_parallel": True,
                        "offload": "none", **more}}
    return case({"loadfactor": 1, "name": name, "train": train, "hardware": ["h100-sxm"],
                 "limits": {"gpus": most},
                 "money": {"options": ["on-demand", "reserved-1y", "reserved-3y", "spot", "own"]}})


def runs_by_every_way():
    return [
        run_by_every_way("run-by-every-way", 64, "200 B", gpus=64),
        run_by_every_way("run-longer-than-a-term", 16, "3 T", gpus=16),
        run_by_every_way("run-on-bought-machines", 64, "200 B", dp=32),
    ]


def refused():
    """Mistakes: every verb refuses with the same code, at the same place, with the same status."""
    def spoilt(name, code, change, seen_by=(), **arguments):
        tree = service(name, arguments.pop("model", "llama-3.1-8b"), precision="fp8",
                       deployment=layout("h100-sxm"), **arguments)
        change(tree)
        return case(tree, is_written=True, refused=code, seen_by=seen_by)

    def put(*path):
        *way, key, value = path

        def change(tree):
            for step in way:
                tree = tree[step]
            tree[key] = value
        return change

    return [
        spoilt("key-nobody-reads", "LF502", put("serve", "deployment", "tpp", 2)),
        spoilt("no-such-model", "LF402", put("serve", "model", "llama-9-900b")),
        spoilt("no-such-gpu", "LF401", put("serve", "deployment", "gpu", "h900")),
        spoilt("no-such-candidate", "LF401", put("hardware", ["h100-sxm", "h900"])),
        spoilt("no-such-engine", "LF410", put("serve", "deployment", "engine", "velocity")),
        spoilt("no-such-format", "LF105", put("serve", "precision", "fp7")),
        spoilt("no-such-kv-format", "LF105", put("serve", "deployment", "kv", "fp7")),
        spoilt("no-such-shape", "LF527", put("serve", "demand", "shape", "moonlight")),
        spoilt("no-such-region", "LF408", put("money", "region", "atlantis"),
               seen_by=("search", "fill", "plan", "cost")),
        spoilt("no-trace-there", "LF601", put("serve", "demand", {"trace": "absent.csv"})),
        spoilt("no-demand", "LF136", lambda tree: tree["serve"].pop("demand"),
               seen_by=("simulate", "search", "fill", "plan", "cost")),
        spoilt("number-without-unit", "LF202", put("serve", "slo", "ttft_p95", 2)),
        spoilt("heads-do-not-divide", "LF102", put("serve", "deployment", "tp", 3)),
        spoilt("context-too-long", "LF104", put("serve", "demand", "tokens_in", 200000)),
        spoilt("does-not-fit", "LF101", put("serve", "deployment", "tp", 1), model="llama-3.3-70b"),
    ]


DENSE = ("llama-3.1-8b", "qwen3-8b", "mistral-7b", "phi-4", "gemma-2-9b", "llama-3.3-70b")
MIXTURES = ("qwen3-30b-a3b", "mixtral-8x7b", "gpt-oss-20b", "deepseek-v2-lite")
CHIPS = ("h100-sxm", "h200-sxm", "a100-80gb-sxm", "b200", "mi300x")


def make_trace(rng, path):
    """Half an hour of requests, as a log has them."""
    moment, lines = 0.0, ["timestamp,input_tokens,output_tokens"]
    for _ in range(90):
        moment += rng.expovariate(1 / 20)
        lines.append(f"{moment:.3f},{rng.randint(50, 900)},{rng.randint(10, 150)}")
    path.write_text("\n".join(lines) + "\n")


def make_rates(rng, path):
    """A day of hourly rates."""
    lines = ["time_s,rate_rps"]
    lines += [f"{hour * 3600},{rng.uniform(0.0005, 0.003):.4f}" for hour in range(24)]
    path.write_text("\n".join(lines) + "\n")


# Most are rates: a shape is many weeks to simulate. Pools apart stand at 3 and 11.
KINDS = ("rate", "trace", "rate", "rate", "rates", "long", "trace", "shape", "rate", "rates", "long",
         "rate", "rate", "long", "rate", "rate")


def a_demand(rng, number, folder):
    kind = KINDS[number % len(KINDS)]
    lengths = {"tokens_in": rng.choice([200, 700, 1500]), "tokens_out": rng.choice([50, 150])}
    if kind == "trace":
        make_trace(rng, folder / f"trace-{number}.csv")
        return {"trace": f"trace-{number}.csv"}
    if kind == "rates":
        make_rates(rng, folder / f"rates-{number}.csv")
        return {"trace": f"rates-{number}.csv", **lengths}
    if kind == "long":
        return {"requests_per_day": rng.randint(20, 90), "tokens_in": rng.choice([16000, 30000]),
                "tokens_out": 200}
    demand = {"requests_per_day": rng.randint(50, 200), **lengths}
    return {**demand, "shape": rng.choice(["chat", "global-chat"])} if kind == "shape" else demand


def a_service(rng, number, folder):
    is_mixture = number % 3 == 2
    model = rng.choice(MIXTURES if is_mixture else DENSE)
    gpu = rng.choice(CHIPS)
    precision = rng.choice([None, "bf16"] + (["fp8"] if gpu != "a100-80gb-sxm" else []))
    is_long = KINDS[number % len(KINDS)] == "long"
    if is_long and model in ("gemma-2-9b", "phi-4", "mistral-7b"):
        model = "llama-3.1-8b"  # Those have contexts of 8 K to 16 K tokens.
    is_written, is_split = number % 2 == 0, number % 8 == 3
    deployment = None
    if is_split:
        deployment = {"gpu": gpu, "prefill": {"tp": 2, "replicas": 1},
                      "decode": {"tp": 2, "replicas": 1}}
    elif is_written:
        tp = 4 if model == "llama-3.3-70b" else rng.choice([1, 2, 4])
        ep = tp if is_mixture and rng.random() < 0.5 else 1
        deployment = layout(gpu, tp=tp, ep=ep)
    tree = service(f"generated-{number:02d}", model, gpu=gpu, precision=precision,
                   demand=a_demand(rng, number, folder),
                   slo={"ttft_p95": "60 s" if is_long else rng.choice(["3 s", "8 s"]),
                        "tpot_p95": rng.choice(["80 ms", "150 ms"])},
                   deployment=deployment, gpus=4,
                   options=["on-demand", "own"] if number % 4 == 0 else ["on-demand"])
    return case(tree, is_written=bool(deployment), has_twin=number % 5 == 0,
                is_explained=number == 15)


def a_run(rng, number):
    is_mixture = number % 3 == 2
    model = rng.choice(("mixtral-8x7b", "qwen3-30b-a3b") if is_mixture else
                       ("llama-3.1-8b", "qwen3-8b", "llama-3.1-70b"))
    large = model == "llama-3.1-70b"
    gpus = 64 if large or is_mixture else rng.choice([8, 16])
    tp = 8 if large else rng.choice([1, 2])
    pp = 2 if large else 1
    ep = 4 if is_mixture else 1
    train = {"model": model, "precision": "bf16", "tokens": "2 B", "sequence": 4096,
             "global_batch": 128}
    if number % 2 == 0:
        train["layout"] = {"gpus": gpus, "tp": tp, "pp": pp, "vp": 1, "cp": 1, "ep": ep, "etp": 1,
                           "dp": gpus // tp // pp, "zero": 1, "micro_batch": 1,
                           "recompute": "selective", "sequence_parallel": tp > 1, "offload": "none"}
        if pp > 1:
            train["layout"]["schedule"] = "1f1b"
    else:
        train["layout"] = {"gpus": gpus, "cp": 1, "offload": "none"}
    tree = {"loadfactor": 1, "name": f"run-{number:02d}", "train": train,
            "hardware": [rng.choice(("h100-sxm", "h200-sxm"))], "limits": {"gpus": gpus},
            "money": {"options": ["on-demand"]}}
    return case(tree, is_written=number % 2 == 0, has_twin=number % 3 == 0)


def generated(seed, folder):
    rng = random.Random(seed)
    services = [a_service(rng, number, folder) for number in range(32)]
    return services + [a_run(rng, number) for number in range(6)]


# Only the traffic of the shipped services is made light, a month of it takes minutes to simulate;
# and all but the one that is named after its spikes lose the shape of their week.
LIGHT = {"requests_per_month": "3 K", "requests_per_day": "100"}
SPIKY = "chatbot-spiky"


def shipped(folder):
    cases = []
    for file in sorted(folder.glob("*.yaml")) + sorted(folder.glob("cost/*.yaml")):
        text = file.read_text()
        sets = tuple(f"serve.demand.{key}={value}" for key, value in LIGHT.items()
                     if f"{key}:" in text)
        if "shape:" in text and file.stem != SPIKY:
            sets += ("serve.demand.shape=",)
        # Methods with phases beside training are answered for by `train` alone; others say so.
        has_phases = re.search(r"^  method: *(\{kind: *)?(grpo|ppo|dpo|distillation)\b|^    kind: *(grpo|ppo|dpo|distillation)\b",
                               text, re.MULTILINE)
        cases.append(Case(name=file.stem, file=file, sets=sets, work=sections_of(text),
                          seen_by=("train", "train-search") if has_phases else ()))
    return cases
