"""Measures whole steps and reference kernels with PyTorch, beside the probe's own figures.

steps.py reference OUT.json          products, traffic and attention, to hold the probe against
steps.py training OUT.csv [CASES]    training steps of the cases in step_cases.csv, or in CASES
steps.py inference OUT.csv [CASES]   prefill and decode steps of the same file
steps.py prefill OUT.csv [CASES]     its prefill steps alone
steps.py compiled OUT.csv [CASES]    its decode steps with the layers fused by torch.compile
steps.py batch OUT.csv [MODEL] [compiled]   decode from batch 1 to 256
"""

import csv
import gc
import json
import pathlib
import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
    from torch.utils.checkpoint import checkpoint
except ModuleNotFoundError as missing:
    if "--help" in sys.argv or "-h" in sys.argv:
        print(__doc__.strip())
        sys.exit(0)
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(f"steps.py: this needs PyTorch with an accelerator ({missing})", file=sys.stderr)
    sys.exit(4)

import architectures
import transformer

CASES = pathlib.Path(__file__).with_name("step_cases.csv")
DEVICE = "cuda"


def elapsed(call, repeats, warm=3, rest=0.0):
    """Median seconds of `call`, by device events, after a rest before each."""
    for _ in range(warm):
        call()
    torch.cuda.synchronize()
    samples = []
    for _ in range(repeats):
        time.sleep(rest)
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        stop.record()
        stop.synchronize()
        samples.append(start.elapsed_time(stop) * 1e-3)
    return statistics.median(samples)


def captured(call, warm=3):
    """A graph of `call`, ready to replay."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(warm):
            call()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph


def in_graph(calls, repeats=9, work_seconds=2e-3):
    """Seconds of one call when `calls` (a list, each on its own operands) run in a graph."""
    def run_all(rounds):
        for _ in range(rounds):
            for call in calls:
                call()

    once = elapsed(captured(lambda: run_all(1)).replay, 3)
    rounds = max(1, min(400 // len(calls), int(work_seconds / max(once, 1e-7))))
    graph = captured(lambda: run_all(rounds))
    return elapsed(graph.replay, repeats, rest=min(10e-3, 3 * once * rounds)) / (rounds * len(calls))


def sets_for(bytes_each, cache):
    """As the probe: several times the cache, and three at least."""
    return int(min(256, max(3, -(-8 * cache // bytes_each))))


# --- reference kernels -------------------------------------------------------------------------

def product_rows(cache):
    shapes = [(m, n, k) for n, k in ((4096, 14336), (8192, 8192), (28672, 4096))
              for m in (1, 16, 64, 256, 1024, 4096)]
    shapes += [(s, s, s) for s in (2048, 4096, 8192)]
    rows = []
    for m, n, k in shapes:
        # Weights come from memory; inputs and outputs stay where they are.
        x = torch.rand(m, k, device=DEVICE, dtype=torch.bfloat16) * 2 - 1
        ws = [torch.rand(n, k, device=DEVICE, dtype=torch.bfloat16) * 2 - 1 for _ in range(sets_for(2 * n * k, cache))]
        seconds = in_graph([lambda w=w: F.linear(x, w) for w in ws])
        rows.append({"what": "gemm", "dtype": "bf16", "m": m, "n": n, "k": k, "seconds": seconds})
        one = torch.ones((), device=DEVICE)
        x8 = x.to(torch.float8_e4m3fn)
        w8 = [torch.rand(n, k, device=DEVICE).mul_(2).sub_(1).to(torch.float8_e4m3fn)
              for _ in range(sets_for(n * k, cache))]
        for fast in (False, True):
            try:
                seconds = in_graph([lambda w=w: torch._scaled_mm(
                    x8, w.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=fast) for w in w8])
                rows.append({"what": "gemm", "dtype": "fp8", "fast_accumulation": fast,
                             "m": m, "n": n, "k": k, "seconds": seconds})
            except RuntimeError as failure:
                rows.append({"what": "gemm", "dtype": "fp8", "m": m, "n": n, "k": k, "failure": str(failure)[:200]})
        del x, ws, x8, w8
    return rows


def traffic_rows():
    rows = []
    for mega in (64, 256, 1024, 2048):
        count = mega * 2**20 // 2
        a, b, c = (torch.randn(count, device=DEVICE, dtype=torch.bfloat16) for _ in range(3))
        for name, passes, call in (("copy", 2, lambda: c.copy_(a)),
                                   ("add", 3, lambda: torch.add(a, b, out=c)),
                                   ("read", 1, lambda: a.sum())):
            seconds = in_graph([call])
            rows.append({"what": "memory", "pattern": name, "bytes": passes * mega * 2**20,
                         "seconds": seconds, "gbps": passes * mega * 2**20 / seconds * 1e-9})
        del a, b, c
    return rows


def attention_rows(cache):
    rows = []
    for batch, heads, kv, length, size in ((1, 32, 8, 512, 128), (1, 32, 8, 1024, 128), (1, 32, 8, 2048, 128),
                                           (1, 32, 8, 4096, 128), (1, 32, 8, 8192, 128), (16, 32, 8, 2048, 128),
                                           (4, 32, 8, 2048, 128), (1, 16, 16, 2048, 64), (1, 16, 16, 8192, 64)):
        def tensor(h, grad=False):
            return torch.randn(batch, h, length, size, device=DEVICE, dtype=torch.bfloat16, requires_grad=grad)
        q, k, v = tensor(heads), tensor(kv), tensor(kv)
        attend = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=heads != kv)
        rows.append({"what": "attention", "phase": "prefill", "batch": batch, "heads": heads, "kv_heads": kv,
                     "q_len": length, "kv_len": length, "head_dim": size, "seconds": in_graph([attend])})
        q, k, v, g = tensor(heads, True), tensor(kv, True), tensor(kv, True), tensor(heads)
        def both():
            torch.autograd.grad(F.scaled_dot_product_attention(
                q, k, v, is_causal=True, enable_gqa=heads != kv), (q, k, v), g)
        rows.append({"what": "attention", "phase": "fwd_bwd", "batch": batch, "heads": heads, "kv_heads": kv,
                     "q_len": length, "kv_len": length, "head_dim": size, "seconds": elapsed(both, 9)})
    for batch, length in ((1, 2048), (8, 2048), (32, 512), (32, 2048), (32, 8192), (128, 2048), (256, 2048)):
        each = 2 * 2 * batch * 8 * length * 128
        sets = sets_for(each, cache)
        data = [[torch.randn(batch, h, s, 128, device=DEVICE, dtype=torch.bfloat16)
                 for h, s in ((32, 1), (8, length), (8, length))] for _ in range(sets)]
        seconds = in_graph([lambda t=t: F.scaled_dot_product_attention(*t, enable_gqa=True) for t in data])
        rows.append({"what": "attention", "phase": "decode", "batch": batch, "heads": 32, "kv_heads": 8,
                     "q_len": 1, "kv_len": length, "head_dim": 128, "seconds": seconds})
    return rows


def reference(path):
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    answer = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "rows": []}
    for part in (lambda: traffic_rows(), lambda: product_rows(cache), lambda: attention_rows(cache)):
        try:
            answer["rows"] += part()
        except Exception as failure:  # A missing kernel must not lose the other figures.
            answer["rows"].append({"what": "failure", "reason": repr(failure)[:300]})
        pathlib.Path(path).write_text(json.dumps(answer, indent=1))
        gc.collect()
        torch.cuda.empty_cache()


# --- whole steps -------------------------------------------------------------------------------

def cases(phases, path=CASES):
    with open(path) as file:
        return [row for row in csv.DictReader(file) if row["phase"] in phases]


class Table:
    def __init__(self, path, columns):
        self.file = open(path, "w", newline="")
        self.rows = csv.DictWriter(self.file, columns, restval="")
        self.rows.writeheader()

    def add(self, **row):
        self.rows.writerow(row)
        self.file.flush()
        print({k: v for k, v in row.items() if v != ""}, flush=True)


def train_case(model, d, row, calls=None):
    """Figures of one training step; its two halves are left in `calls` for who would run them again."""
    length, batch = int(row["length"]), int(row["batch"])
    tokens = torch.randint(d["vocab"], (batch, length + 1), device=DEVICE)
    cos, sin = transformer.angles(length, d["head_dim"], DEVICE)
    parameters = [p for p in model.parameters()]
    masters = [p.detach().float().clone().requires_grad_() for p in parameters]
    for master in masters:
        master.grad = torch.zeros_like(master)
    adam = torch.optim.AdamW(masters, lr=1e-4, fused=True)
    for block in model.blocks:
        block.compile()
    full = row["recompute"] == "full"

    def run(block, x, cos, sin):
        if full:
            return checkpoint(block, x, cos, sin, use_reentrant=False)
        return block(x, cos, sin)

    def loss_of(x, head, wanted):
        return F.cross_entropy(F.linear(x, head).float().view(-1, head.shape[0]), wanted.reshape(-1))

    loss_of = torch.compile(loss_of)

    def forward_backward():
        x = model.hidden(tokens[:, :-1], cos, sin, run)
        loss_of(x, model.head.weight, tokens[:, 1:]).backward()

    def optimise():
        with torch.no_grad():
            torch._foreach_copy_([m.grad for m in masters], [p.grad for p in parameters])
            adam.step()
            torch._foreach_copy_(parameters, masters)
        for p in parameters:
            p.grad = None

    def both():
        forward_backward()
        optimise()

    start = time.time()
    both()
    torch.cuda.synchronize()
    compile_s = time.time() - start
    both()
    torch.cuda.reset_peak_memory_stats()
    passes, updates = [], []
    for _ in range(8):
        events = [torch.cuda.Event(enable_timing=True) for _ in range(3)]
        events[0].record()
        forward_backward()
        events[1].record()
        optimise()
        events[2].record()
        events[2].synchronize()
        passes.append(events[0].elapsed_time(events[1]) * 1e-3)
        updates.append(events[1].elapsed_time(events[2]) * 1e-3)
    if calls is not None:
        calls.update(passes=forward_backward, update=optimise)
    first, second = statistics.median(passes), statistics.median(updates)
    return {"fwd_bwd_s": first, "optimizer_s": second, "step_s": first + second,
            "tokens_per_s": batch * length / (first + second), "compile_s": round(compile_s, 1),
            "peak_mem_gb": torch.cuda.max_memory_allocated() * 1e-9,
            "params": sum(p.numel() for p in parameters)}


def training(path, rows):
    table = Table(path, ["model", "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab", "gated",
                         "experts", "top_k", "params", "seq", "micro_batch", "recompute", "fwd_bwd_s", "optimizer_s",
                         "step_s", "tokens_per_s", "peak_mem_gb", "compile_s", "failure"])
    for row in rows:
        d = architectures.load(row["model"])
        shape = {k: d[k] for k in ("layers", "hidden", "heads", "kv_heads", "head_dim", "vocab", "experts", "top_k")}
        shape.update(model=row["model"], ffn=d["ffn"] or d["expert_ffn"], gated=int(d["gated"]), seq=row["length"],
                     micro_batch=row["batch"], recompute=row["recompute"])
        try:
            model = transformer.make(d)
            for part in model.modules():
                if isinstance(part, transformer.Experts):
                    part.even = True
            table.add(**shape, **train_case(model, d, row))
        except Exception as failure:
            table.add(**shape, failure=repr(failure)[:300])
        model = None
        gc.collect()
        torch._dynamo.reset()
        torch.cuda.empty_cache()


def decode_step(model, d, batch, context):
    """A call that makes one token for each of `batch` sequences with full caches."""
    tokens = torch.randint(d["vocab"], (batch, 1), device=DEVICE)
    cos, sin = transformer.angles(1, d["head_dim"], DEVICE, start=context - 1)
    caches = [[torch.randn(batch, d["kv_heads"], context, d["head_dim"], device=DEVICE, dtype=torch.bfloat16)
               for _ in range(2)] for _ in range(d["layers"])]

    def step():
        x = model.embedding(tokens)
        for block, cache in zip(model.blocks, caches):
            x = block(x, cos, sin, cache, context - 1)
        x = F.rms_norm(x, (x.shape[-1],), model.final, 1e-6)
        return model.head(x[:, -1]).argmax(-1)

    return step


def decode_seconds(model, d, batch, context):
    return elapsed(captured(decode_step(model, d, batch, context)).replay, 15)


def prefill_seconds(model, d, batch, length):
    tokens = torch.randint(d["vocab"], (batch, length), device=DEVICE)
    cos, sin = transformer.angles(length, d["head_dim"], DEVICE)

    def step():
        x = model.hidden(tokens, cos, sin)
        return model.head(x[:, -1])

    return elapsed(step, 7)


def inference_rows(path, rows, compiled=False):
    table = Table(path, ["model", "precision", "phase", "batch", "tokens_in", "kv_len", "seconds", "peak_mem_gb",
                         "mode", "failure"])
    model, name = None, None
    with torch.inference_mode():
        for row in rows:
            d = architectures.load(row["model"])
            if row["model"] != name:
                model = None
                gc.collect()
                torch.cuda.empty_cache()
                model, name = transformer.make(d), row["model"]
                torch._dynamo.reset()
                for block in model.blocks if compiled else []:
                    block.compile(dynamic=False)
            batch, length = int(row["batch"]), int(row["length"])
            decode = row["phase"] == "decode"
            mode = ("cuda_graph" if decode else "eager") + ("_compiled" if compiled else "")
            shape = dict(model=name, precision="bf16", phase=row["phase"], batch=batch, kv_len=length,
                         tokens_in=batch if decode else batch * length, mode=mode)
            try:
                torch.cuda.reset_peak_memory_stats()
                seconds = (decode_seconds if decode else prefill_seconds)(model, d, batch, length)
                table.add(**shape, seconds=seconds, peak_mem_gb=torch.cuda.max_memory_allocated() * 1e-9)
            except Exception as failure:
                table.add(**shape, failure=repr(failure)[:300])
            gc.collect()
            torch.cuda.empty_cache()


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(__doc__.strip())
        return
    if len(arguments) < 2:
        sys.exit(__doc__)
    what, path = arguments[:2]
    listed = arguments[2] if len(arguments) > 2 and what != "batch" else CASES
    if not torch.cuda.is_available():
        print("steps.py: no accelerator was found on this machine", file=sys.stderr)
        sys.exit(4)
    torch.manual_seed(1)
    if what == "reference":
        reference(path)
    elif what == "training":
        training(path, cases(["training"], listed))
    elif what == "inference":
        inference_rows(path, cases(["prefill", "decode"], listed))
    elif what == "prefill":
        inference_rows(path, cases(["prefill"], listed))
    elif what == "compiled":
        torch._dynamo.config.recompile_limit = 64
        inference_rows(path, cases(["decode"], listed), compiled=True)
    elif what == "batch":
        torch._dynamo.config.recompile_limit = 64
        model = arguments[2] if len(arguments) > 2 else "qwen3-8b"
        rows = [dict(model=model, phase="decode", batch=2**i, length=1024) for i in range(9)]
        inference_rows(path, rows, compiled=arguments[3:] == ["compiled"])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
