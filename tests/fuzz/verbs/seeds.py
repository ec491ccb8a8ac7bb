"""Questions that are answered, to start from: one or more for every verb and kind of file."""

import dataclasses
import json
import pathlib
import random
import re
import sys

import schemas
from case import Case
from templates import LAYOUT, PHASES, RUN, SAVED, SMALL_RUN, SMALL_SERVICE, SWEEP, WRITTEN

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "laws"))

import scenarios  # noqa: E402  Random ones that are answered within a second.

DATA = ROOT / "data"
TARGETS = ["megatron", "deepspeed", "torchtitan", "accelerate", "pytorch", "vllm", "sglang", "slurm",
           "kubernetes", "prometheus"]
COMPARISONS = ["load_factor >= break_even", "cost <= 5000 $/month", "gpus < 64", "mfu > 0.4"]


def texts(folder, pattern, largest=20_000):
    return [path.read_text(errors="surrogateescape") for path in sorted(folder.glob(pattern))
            if path.is_file() and path.stat().st_size <= largest]


def written(draw):
    return WRITTEN.format(model=draw.choice(["llama-3.1-8b", "qwen3-8b", "llama-3.3-70b", "qwen3-30b-a3b"]),
                          precision=draw.choice(["bf16", "fp8"]), rate=draw.choice([100, 3000, 90000]),
                          tokens_in=draw.choice([100, 2000]), tokens_out=draw.choice([20, 400]),
                          gpu=draw.choice(["h100-sxm", "h200-sxm", "l40s"]), tp=draw.choice([1, 2, 4]),
                          replicas=draw.choice([1, 2, 5]))


def small(draw):
    chosen = {"gpu": draw.choice(["l40s", "h100-sxm", "rtx-4090"]), "gpus": draw.choice([1, 2, 4]),
              "option": draw.choice(["on-demand", "own", "reserved-1y"])}
    if draw.random() < 0.5:
        return SMALL_RUN.format(model=draw.choice(["llama-3.2-1b", "llama-3.1-8b"]), batch=draw.choice([1, 8]),
                                tokens=draw.choice(["1 M", "50 M"]), **chosen)
    return SMALL_SERVICE.format(model=draw.choice(["llama-3.2-1b", "llama-3.1-8b", "qwen3-8b"]),
                                precision=draw.choice(["bf16", "fp8"]), rate=draw.choice([1, 20, 300]),
                                tokens_in=draw.choice([20, 500]), tokens_out=draw.choice([5, 100]), **chosen)


def layout(draw):
    return LAYOUT.format(model=draw.choice(["llama-3.1-8b", "llama-3.3-70b", "qwen3-30b-a3b"]),
                         gpus=draw.choice([8, 16, 64, 512]), tp=draw.choice([1, 2, 8]),
                         pp=draw.choice([1, 2, 4]), gpu=draw.choice(["h100-sxm", "a100-80gb-sxm", "mi300x"]))


def phases(draw):
    return PHASES.format(model=draw.choice(["llama-3.2-1b", "llama-3.1-8b", "llama-3.3-70b"]),
                         kind=draw.choice(["grpo", "ppo"]), prompts=draw.choice([1, 8, 64, 1000, 100_000]),
                         prompt_tokens=draw.choice([20, 400]), answer_tokens=draw.choice([50, 1500]),
                         spread=draw.choice([0, 0.8, 1.5]), off_policy=draw.choice([0, 0, 1, 4]),
                         reward=draw.choice(["llama-3.1-8b", "bge-reranker-v2-m3", "bert-base"]),
                         gpu=draw.choice(["h100-sxm", "rtx-4090", "mi300x"]), gpus=draw.choice([1, 8, 64, 512]))


def service(draw):
    return "\n".join(scenarios.service(draw))


def run(draw):
    return "\n".join(scenarios.run(draw))


class Seeds:
    """What each verb starts from: the texts of its main file, and the case around one."""

    def __init__(self):
        some = random.Random(1)
        self.written = [written(some) for _ in range(40)] + texts(DATA / "scenarios", "support-chat.yaml")
        self.layouts = [layout(some) for _ in range(40)] + texts(DATA / "scenarios", "*8b*.yaml")
        self.priced = texts(DATA / "scenarios" / "cost", "*.yaml") + self.written[:20] + self.layouts[:10]
        self.planned = [service(some) for _ in range(20)] + [run(some) for _ in range(20)]
        self.small = [small(some) for _ in range(40)]
        families = ("*grpo*", "*dpo*", "*distillation*", "*lora*", "finetune*")
        self.methods = [text for name in families for text in texts(DATA / "scenarios", name + ".yaml")] + \
            [phases(some) for _ in range(20)]
        others = ("embed*", "rerank*", "vision*", "transcribe*")
        self.readers = [text for name in others for text in texts(DATA / "scenarios", name + ".yaml")]
        self.claims = texts(DATA / "scenarios" / "audits", "*.yaml")
        self.fleets = texts(DATA / "scenarios" / "fleet", "*.yaml")
        self.launched = texts(ROOT / "tests" / "launch" / "good", "*")
        self.traces = texts(ROOT / "tests" / "fuzz" / "corpus" / "demand", "*") + \
            texts(ROOT / "tests" / "data" / "traces", "*", 100_000)
        self.models = texts(ROOT / "tests" / "fuzz" / "corpus" / "hf_config", "*")
        self.metrics = texts(ROOT / "tests" / "fuzz" / "corpus" / "observe", "*")
        self.traffic = texts(DATA / "demand", "*.yaml")
        self.sweeps = [SWEEP] + texts(ROOT / "tests" / "fuzz" / "corpus" / "sweep", "*")
        self.entries = {str(path.relative_to(DATA)): path.read_text()
                        for kind in ("hardware", "models", "engines", "regions", "stacks", "prices")
                        for path in sorted((DATA / kind).rglob("*")) if path.is_file()
                        and path.stat().st_size < 20_000}
        self.kinds = {
            "fit": self.fit, "fit of a config": self.fit_config, "train": self.train, "serve": self.serve,
            "serve --simulate": self.simulate, "cost": self.cost, "fill": self.fill, "plan": self.plan,
            "plan of little": self.plan_small, "serve --search of little": self.size_small,
            "diff of little": self.diff_small,
            "train of a method": self.method, "plan of a method": self.plan_method,
            "serve without decoding": self.serve_reader, "plan without decoding": self.plan_reader,
            "train --search": self.search, "train --scale": self.scale, "serve --search": self.size,
            "audit": self.audit, "fleet": self.fleet, "demand": self.demand,
            "demand --generate": self.generate, "read": self.read, "emit": self.emit,
            "emit of a plan": self.emit_plan, "diff": self.diff,
            "observe": self.observe, "explain": self.explain, "catalog": self.catalog,
            "sweep": self.sweep, "schema check": self.check, "catalogue overlay": self.overlay,
        }

    def for_driver(self, words, each=200):
        """Some cases of every kind that the library answers, and what there is to change in them."""
        draw, pools, cases = random.Random(1), [], []
        for kind, make in self.kinds.items():
            for _ in range(each):
                case, pool = make(draw)
                if case.needs_program:
                    break
                if pool not in pools:
                    pools.append(pool)
                cases.append({"kind": kind, "pool": pools.index(pool), "case": dataclasses.asdict(case)})
        readable = [[text for text in pool if text.isprintable() or is_utf8(text)] for pool in pools]
        cases = [one for one in cases if all(is_utf8(text) for text in one["case"]["files"].values())]
        return {"words": words, "pools": readable, "cases": cases, "chips": peaks(),
                "schemas": schemas.of_answers(DATA / "schema")}

    # Each gives a case, and the pool that its first file came from.
    def fit(self, draw):
        options = {"model": draw.choice(["llama-3.1-8b", "deepseek-v3", "qwen3-30b-a3b", "gpt-oss-120b"]),
                   "gpu": draw.choice(["h100-sxm", "l40s", "b200-sxm", "mi300x"])}
        for name, values in {"tp": [1, 2, 8, 3, 0, -1], "pp": [1, 2, 61], "ep": [1, 8], "quant": ["fp8", "int4", "x"],
                             "context": [1, 8192, 10**6, 10**12], "util": [0.9, 0, 1.5], "max-seqs": [1, 256, 10**9],
                             "chunk": [1, 2048, 10**9], "kv": ["fp8", "bf16"]}.items():
            if draw.random() < 0.3:
                options[name] = draw.choice(values)
        return Case("fit", options), []

    def one(self, draw, verb, name, pool, extension="yaml", **options):
        file = f"case.{extension}"
        named = [file] if name in ("files", "sources") else file
        return Case(verb, {name: named, **options}, {file: draw.choice(pool)}), pool

    def fit_config(self, draw):
        return self.one(draw, "fit", "model", self.models, "json", gpu="h100-sxm")

    def train(self, draw):
        return self.one(draw, "train", "scenario", self.layouts)

    def method(self, draw):
        return self.one(draw, "train", "scenario", self.methods, **draw.choice([{}, {}, {"search": True}]))

    def plan_method(self, draw):
        return self.one(draw, "plan", "scenario", self.methods, draws=64)

    def serve_reader(self, draw):
        extra = draw.choice([{}, {"simulate": True, "requests": 200}])
        return self.one(draw, "serve", "scenario", self.readers, **extra)

    def plan_reader(self, draw):
        return self.one(draw, "plan", "scenario", self.readers, draws=64)

    def search(self, draw):
        return self.one(draw, "train", "scenario", self.layouts, search=True)

    def scale(self, draw):
        return self.one(draw, "train", "scenario", self.layouts, scale=True)

    def serve(self, draw):
        return self.one(draw, "serve", "scenario", self.written)

    def simulate(self, draw):
        return self.one(draw, "serve", "scenario", self.written, simulate=True, requests=200)

    def size(self, draw):
        return self.one(draw, "serve", "scenario", self.written, search=True)

    def cost(self, draw):
        extra = draw.choice([{}, {"tornado": True}, {"facility": True}, {"draws": 64}])
        return self.one(draw, "cost", "scenario", self.priced, **extra)

    def fill(self, draw):
        return self.one(draw, "fill", "scenario", self.written)

    def plan(self, draw):
        gates = {"gate": [draw.choice(COMPARISONS)]} if draw.random() < 0.2 else {}
        return self.one(draw, "plan", "scenario", self.planned, draws=64, **gates)

    def plan_small(self, draw):
        return self.one(draw, "plan", "scenario", self.small, draws=16)

    def size_small(self, draw):
        return self.one(draw, "serve", "scenario", [text for text in self.small if "serve:" in text], search=True)

    def diff_small(self, draw):
        case, pool = self.one(draw, "diff", "before", self.small, draws=16)
        case.options["after"] = "after.yaml"
        case.files["after.yaml"] = draw.choice(pool)
        return case, pool

    def audit(self, draw):
        return self.one(draw, "audit", "claim", self.claims)

    def fleet(self, draw):
        return self.one(draw, "fleet", "fleet", self.fleets)

    def demand(self, draw):
        extra = draw.choice([{}, {}, {"fit": True}, {"convert": True}, {"compress": 2}, {"interval": "60 s"}])
        return self.one(draw, "demand", "files", self.traces, "csv", **extra)

    def generate(self, draw):
        return self.one(draw, "demand", "generate", self.traffic, duration="1 h")

    def read(self, draw):
        return self.one(draw, "read", "files", self.launched, draw.choice(["sh", "yaml", "txt", "json"]))

    def emit(self, draw):
        pool = draw.choice([self.written, self.layouts])
        return self.one(draw, "emit", "scenario", pool, target=draw.choice(TARGETS))

    def emit_plan(self, draw):
        pool = [json.dumps(SAVED, indent=1)]
        case, pool = self.one(draw, "emit", "scenario", pool, "json", target=draw.choice(TARGETS[:5]))
        case.files["run.yaml"] = RUN
        return case, pool

    def diff(self, draw):
        case, pool = self.one(draw, "diff", "before", self.planned, draws=64)
        case.options["after"] = "after.yaml"
        case.files["after.yaml"] = draw.choice(pool)
        return case, pool

    def observe(self, draw):
        return self.one(draw, "observe", "sources", self.metrics, "txt", since="1h")

    def explain(self, draw):
        words = draw.choice([["LF102"], ["mfu"], ["codes"], ["terms"], ["load_factor", "case.yaml"], ["x" * 99]])
        return Case("explain", {"word": words}, {"case.yaml": draw.choice(self.written)}), self.written

    def catalog(self, draw):
        return Case("catalog", {"words": draw.choice([["gpus", "h100"], ["models"], ["show", "h100-sxm"], ["engines"],
                                                      ["show", "no such"], ["", ""], ["gpus", "%s"]])}), []

    def sweep(self, draw):
        case, pool = self.one(draw, "sweep", "sweep", self.sweeps, **{"dry-run": True})
        case.files["other.yaml"] = draw.choice(self.written)
        case.files["case.yaml"] = case.files["case.yaml"].replace("../scenarios/support-chat.yaml", "other.yaml")
        return case, pool

    def check(self, draw):
        pool = draw.choice([self.claims, self.fleets, self.sweeps, self.written, list(self.entries.values())])
        case, pool = self.one(draw, "schema", "files", pool)
        case.options = {"words": ["check", "case.yaml"]}
        return case, pool

    def overlay(self, draw):
        """A file of a user's catalogue, read by a question that needs the whole of it."""
        path = draw.choice(list(self.entries))
        case = Case("fit", {"model": "llama-3.1-8b", "gpu": "h100-sxm"}, {f"overlay/{path}": self.entries[path]},
                    overlay=f"overlay/{path}")
        folder = path.split("/")[0]
        return case, [text for other, text in self.entries.items() if other.startswith(folder)]


def is_utf8(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def peaks():
    """The most that each chip of the catalogue can do in a second: operations in any format, and bytes."""
    scale = {"": 1, "G": 1e9, "T": 1e12, "P": 1e15}
    chips = {}
    for path in sorted((DATA / "hardware" / "accelerators").glob("*.yaml")):
        text = path.read_text()
        flops = [float(number) * scale[unit] for number, unit in re.findall(r"([\d.]+) ([TP])FLOP/s", text)]
        memory = re.search(r"^memory: \{(.*?)\}", text, re.DOTALL | re.MULTILINE)
        rate = re.search(r"bandwidth: ([\d.]+) ([GT])B/s", memory[1] if memory else "")
        if flops and rate:
            chips[path.stem] = [max(flops), float(rate[1]) * scale[rate[2]]]
    return chips


def known_words():
    """Keys and values of the schemas of files, and names of the catalogue."""
    words = set()

    def walk(tree):
        if isinstance(tree, dict):
            words.update(tree.get("properties", {}) if isinstance(tree.get("properties"), dict) else [])
            words.update(str(value) for value in tree.get("enum", []) if isinstance(tree.get("enum"), list))
            for inner in tree.values():
                walk(inner)
        elif isinstance(tree, list):
            for inner in tree:
                walk(inner)
    for name in ("scenario", "claim", "sweep", "model", "accelerator", "node", "engine"):
        walk(json.loads((DATA / "schema" / f"{name}.schema.json").read_text()))
    for folder in ("hardware", "models", "engines", "regions", "stacks", "demand"):
        words.update(path.stem for path in (DATA / folder).rglob("*.yaml"))
    return sorted(word for word in words if re.fullmatch(r"[\w.:/+-]+", word))
