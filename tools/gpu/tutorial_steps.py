"""Training steps as a tutorial writes them: tutorial_steps.py CASES.csv OUT.csv [TRACES]

Hugging Face's model classes with random weights in float32, bf16 by autocast, PyTorch's AdamW as it
comes, activation checkpointing where the case says `full`, no compiler, no fused kernels. CASES.csv
has the columns model, batch, seq, recompute; the models are those of data/models. With TRACES, a
folder, one step of each case is also written there as a torch profiler trace."""

import csv
import gc
import pathlib
import sys

import torch
from torch.profiler import ProfilerActivity, profile
import transformers

import architectures
import steps


def configuration(d, length):
    """The Hugging Face configuration that has these dimensions."""
    name = d["name"]
    if name.startswith("gpt2"):
        return transformers.GPT2Config(vocab_size=d["vocab"], n_positions=length, n_embd=d["hidden"],
                                       n_layer=d["layers"], n_head=d["heads"])
    kinds = {"qwen3": transformers.Qwen3Config, "qwen2": transformers.Qwen2Config}
    kind = next((c for prefix, c in kinds.items() if name.startswith(prefix)), transformers.LlamaConfig)
    return kind(vocab_size=d["vocab"], hidden_size=d["hidden"], intermediate_size=d["ffn"],
                num_hidden_layers=d["layers"], num_attention_heads=d["heads"], num_key_value_heads=d["kv_heads"],
                head_dim=d["head_dim"], max_position_embeddings=max(length, 4096),
                tie_word_embeddings=tied(name))


def tied(name):
    text = (architectures.MODELS / f"{name}.yaml").read_text()
    return architectures._value(text, "tied", "false") == "true"


def one_step(row):
    d = architectures.load(row["model"])
    length, batch = int(row["seq"]), int(row["batch"])
    with torch.device("cuda"):
        model = transformers.AutoModelForCausalLM.from_config(configuration(d, length), dtype=torch.float32)
    model.train()
    if row["recompute"] == "full":
        model.gradient_checkpointing_enable()
    adam = torch.optim.AdamW(model.parameters(), lr=1e-5)
    tokens = torch.randint(d["vocab"], (batch, length), device="cuda")

    def step():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
        loss.backward()
        adam.step()
        adam.zero_grad()

    return step, sum(p.numel() for p in model.parameters())


def trace(step, path):
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as seen:
        step()
        torch.cuda.synchronize()
    seen.export_chrome_trace(str(path))


def main(source, target, traces=None):
    with open(source) as file:
        rows = list(csv.DictReader(file))
    table = steps.Table(target, ["model", "batch", "seq", "recompute", "params", "step_s", "peak_mem_gb", "failure"])
    for row in rows:
        case = {k: row[k] for k in ("model", "batch", "seq", "recompute")}
        step = None
        try:
            step, parameters = one_step(row)
            torch.cuda.reset_peak_memory_stats()
            seconds = steps.elapsed(step, 7)
            table.add(**case, params=parameters, step_s=seconds, peak_mem_gb=torch.cuda.max_memory_allocated() * 1e-9)
            if traces:
                trace(step, pathlib.Path(traces) / "tutorial-{model}-{batch}.json.gz".format(**row))
        except Exception as failure:  # A case that does not fit must not lose the others.
            table.add(**case, failure=repr(failure)[:300])
        step = None
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main(*sys.argv[1:4])
