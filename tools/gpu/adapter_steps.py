"""Steps that train adapters beside a frozen model: adapter_steps.py CASES.csv OUT.csv

Hugging Face's model classes with random frozen weights in bf16, low-rank adapters in float32 beside
the projections of attention (`attention`) or beside every linear layer (`all`), bf16 by autocast,
PyTorch's AdamW over the adapters, activation checkpointing where the case says `full`, no compiler.
CASES.csv has the columns model, batch, seq, recompute, targets, rank."""

import csv
import gc
import sys

import torch
import transformers

import architectures
import steps
from tutorial_steps import configuration

ATTENTION = {"q_proj", "k_proj", "v_proj", "o_proj"}
COLUMNS = ("model", "batch", "seq", "recompute", "targets", "rank")


class Adapted(torch.nn.Module):
    """A frozen linear layer and what is learned beside it."""

    def __init__(self, base, rank):
        super().__init__()
        self.base = base
        self.down = torch.nn.Linear(base.in_features, rank, bias=False, device="cuda", dtype=torch.float32)
        self.up = torch.nn.Linear(rank, base.out_features, bias=False, device="cuda", dtype=torch.float32)
        torch.nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


def adapt(model, targets, rank):
    for _, module in list(model.named_modules()):
        for name, child in list(module.named_children()):
            if not isinstance(child, torch.nn.Linear) or name == "lm_head":
                continue
            if targets == "all" or name in ATTENTION:
                setattr(module, name, Adapted(child, rank))


def one_step(row):
    d = architectures.load(row["model"])
    length, batch = int(row["seq"]), int(row["batch"])
    with torch.device("cuda"):
        model = transformers.AutoModelForCausalLM.from_config(configuration(d, length), dtype=torch.bfloat16)
    model.requires_grad_(False)
    adapt(model, row["targets"], int(row["rank"]))
    model.train()
    if row["recompute"] == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    learned = [p for p in model.parameters() if p.requires_grad]
    adam = torch.optim.AdamW(learned, lr=1e-5)
    tokens = torch.randint(d["vocab"], (batch, length), device="cuda")

    def step():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
        loss.backward()
        adam.step()
        adam.zero_grad()

    return step, sum(p.numel() for p in learned)


def main(source, target):
    with open(source) as file:
        rows = list(csv.DictReader(file))
    table = steps.Table(target, [*COLUMNS, "learned", "step_s", "peak_mem_gb", "failure"])
    for row in rows:
        case = {key: row[key] for key in COLUMNS}
        step = None
        try:
            step, learned = one_step(row)
            torch.cuda.reset_peak_memory_stats()
            seconds = steps.elapsed(step, 7)
            table.add(**case, learned=learned, step_s=seconds, peak_mem_gb=torch.cuda.max_memory_allocated() * 1e-9)
        except Exception as failure:  # A case that does not fit must not lose the others.
            table.add(**case, failure=repr(failure)[:300])
        step = None
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main(*sys.argv[1:3])
