"""Torch profiler traces of steps whose parts are known: trace_steps.py FOLDER

Writes one trace for each of: a compiled training step, a prefill, a decode step launched by the host
and one replayed from a graph; and times.csv with the seconds of each by device events, unprofiled."""

import pathlib
import sys

import torch

import architectures
import steps
import transformer
from tutorial_steps import trace


def main(folder):
    folder = pathlib.Path(folder)
    table = steps.Table(folder / "times.csv", ["trace", "model", "batch", "length", "seconds"])

    def add(name, model, batch, length, call):
        seconds = steps.elapsed(call, 9)
        trace(call, folder / f"{name}.json.gz")
        table.add(trace=name, model=model, batch=batch, length=length, seconds=seconds)

    d = architectures.load("qwen2.5-1.5b")
    calls = {}
    steps.train_case(transformer.make(d), d, {"length": 4096, "batch": 4, "recompute": "none"}, calls)
    add("train-compiled", d["name"], 4, 4096, lambda: (calls["passes"](), calls["update"]()))
    calls.clear()
    torch._dynamo.reset()
    torch.cuda.empty_cache()
    d = architectures.load("qwen3-8b")
    with torch.inference_mode():
        model = transformer.make(d)
        tokens = torch.randint(d["vocab"], (1, 4096), device="cuda")
        cos, sin = transformer.angles(4096, d["head_dim"], "cuda")
        add("prefill", d["name"], 1, 4096, lambda: model.head(model.hidden(tokens, cos, sin)[:, -1]))
        step = steps.decode_step(model, d, 32, 1024)
        add("decode-eager", d["name"], 32, 1024, step)
        add("decode-graph", d["name"], 32, 1024, steps.captured(step).replay)


if __name__ == "__main__":
    torch.manual_seed(1)
    main(sys.argv[1])
