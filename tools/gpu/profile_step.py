"""Where a training step's time goes: profile_step.py STEPS.csv OUT.csv

Measures every training step of a table with the columns that `loadfactor validate --steps` reads,
with PyTorch as tools/gpu/steps.py does, and sums the kernels of one step by what they are. Beside
them stands how long the host takes to launch the step: where that is longer, the device waits."""

import csv
import gc
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

import steps
import transformer

CLASSES = (("attention_backward", ("flash_bwd", "bwd_kernel", "fmha_bwd", "sdpa_flash_bprop", "bprop")),
           ("attention", ("flash_fwd", "fmha", "sdpa", "flash", "attention")),
           ("products", ("gemm", "nvjet", "cutlass", "cublas", "splitk", "sgemm")),
           ("optimizer", ("adam", "multi_tensor", "foreach")),
           ("fused", ("triton",)))


def kind(name):
    name = name.lower()
    return next((word for word, parts in CLASSES if any(p in name for p in parts)), "other")


def dimensions(row):
    d = {k: int(row[k]) for k in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")}
    return d | {"gated": row["gated"] == "1", "qkv_bias": False, "qk_norm": False, "norms": 2,
                "experts": 0, "top_k": 0, "expert_ffn": 0}


def kernels(both):
    """Milliseconds of one step's kernels by class, how many there are, and the longest of each class."""
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as trace:
        for _ in range(3):
            both()
        torch.cuda.synchronize()
    sums, count, longest = {}, 0, {}
    for event in trace.key_averages():
        if event.device_type != torch.autograd.DeviceType.CUDA or event.key.startswith("Optimizer."):
            continue
        milliseconds = event.self_device_time_total / 3e3
        sums[kind(event.key)] = sums.get(kind(event.key), 0.0) + milliseconds
        count += event.count // 3
        longest.setdefault(kind(event.key), []).append((milliseconds, event.count // 3, event.key[:90]))
    return sums, count, {k: sorted(v, reverse=True)[:6] for k, v in longest.items()}


def launch_seconds(calls):
    """How long the host takes to launch the first of `calls`, the first two and so on, not held back."""
    samples = []
    for _ in range(7):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for call in calls:
            call()
            samples.append(time.perf_counter() - start)
        torch.cuda.synchronize()
    return [sorted(samples[i::len(calls)])[3] for i in range(len(calls))]


def main(source, target):
    with open(source) as file:
        rows = list(csv.DictReader(file))
    names = [word for word, _ in CLASSES] + ["other"]
    table = steps.Table(target, ["model", "seq", "micro_batch", "recompute", "fwd_bwd_s", "optimizer_s", "step_s",
                                 "launch_passes_s", "launch_step_s", "kernels"] + [n + "_ms" for n in names])
    for row in rows:
        d = dimensions(row)
        model = transformer.make(d)
        keep = {}
        case = {"length": row["seq"], "batch": row["micro_batch"], "recompute": row["recompute"]}
        figures = steps.train_case(model, d, case, keep)
        sums, count, longest = kernels(lambda: (keep["passes"](), keep["update"]()))
        passes, whole = launch_seconds((keep["passes"], keep["update"]))
        table.add(model=row["model"], seq=row["seq"], micro_batch=row["micro_batch"], recompute=row["recompute"],
                  **{k: figures[k] for k in ("fwd_bwd_s", "optimizer_s", "step_s")},
                  launch_passes_s=passes, launch_step_s=whole, kernels=count, **{n + "_ms": sums.get(n, 0.0) for n in names})
        for word, entries in longest.items():
            for milliseconds, times, name in entries:
                print(f"  {word} {milliseconds:.3f} ms in {times}: {name}", flush=True)
        model = None
        keep.clear()
        gc.collect()
        torch._dynamo.reset()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main(*sys.argv[1:3])
