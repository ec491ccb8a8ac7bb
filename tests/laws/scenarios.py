"""Random scenarios, most of them small enough that each is planned in less than a second."""

import random

MODELS = ["llama-3.1-8b", "qwen3-8b"]
SERVING_CHIPS = ["l40s", "a100-80gb-sxm", "h100-sxm", "h200-sxm"]
TRAINING_CHIPS = ["a100-80gb-sxm", "h100-sxm", "h200-sxm"]
WAYS = ["on-demand", "reserved-1y", "spot", "own"]


def some(draw: random.Random, items: list, least: int = 1) -> list:
    """At least so many of them, in their order."""
    chosen = set(draw.sample(range(len(items)), draw.randint(least, len(items))))
    return [item for i, item in enumerate(items) if i in chosen]


def rounded(value: float) -> str:
    return f"{value:.3g}"


def service(draw: random.Random) -> list[str]:
    """A service as the lines of its file."""
    # Every request of a week is simulated. Long ones fill as many GPUs, and are fewer.
    rate = 10 ** (draw.uniform(1, 2.5) if draw.random() < 0.8 else draw.uniform(2.5, 3.5))
    tokens_in, tokens_out = 10 ** draw.uniform(2.7, 4.2), 10 ** draw.uniform(2, 3.4)
    ways = some(draw, WAYS) + (["api"] if draw.random() < 0.7 else [])
    there = draw.random() < 0.2
    chips = some(draw, SERVING_CHIPS)[:1 if there else 2]
    deployment = [f"  deployment: {{gpu: {chips[0]}, tp: 1, replicas: {draw.randint(1, 4)}}}"]
    return [
        "loadfactor: 1",
        "name: law",
        "serve:",
        f"  model: {draw.choice(MODELS[:1])}",
        "  precision: fp8" if "a100-80gb-sxm" not in chips else "  precision: bf16",
        f"  demand: {{requests_per_hour: {rounded(rate)}, "
        f"tokens_in: {tokens_in:.0f}, tokens_out: {tokens_out:.0f}}}",
        f"  slo: {{ttft_p95: {draw.choice([1, 2, 5])} s, tpot_p95: {draw.choice([30, 60, 200])} ms}}",
        *(deployment if there else []),
        f"hardware: [{', '.join(chips)}]",
        f"limits: {{gpus: {draw.choice([2, 8, 12, 64])}}}",
        f"money: {{options: [{', '.join(ways)}]}}",
    ]


def run(draw: random.Random) -> list[str]:
    """A training run as the lines of its file."""
    lines = [
        "loadfactor: 1",
        "name: law",
        "train:",
        f"  model: {draw.choice(MODELS[:1])}",
        "  precision: bf16",
        f"  tokens: {rounded(10 ** draw.uniform(7.5, 9.5))}",
        "  sequence: 4096",
        f"  global_batch: {draw.choice([48, 64, 96, 128])}",
    ]
    if draw.random() < 0.6:
        lines.append(f"  deadline: {draw.choice([6, 24, 72])} h")
    if draw.random() < 0.2:
        lines.append("  layout: {gpus: 8}")
    budget = f", budget: {draw.choice([100, 1000, 10000])} USD" if draw.random() < 0.4 else ""
    lines += [
        f"hardware: [{', '.join(some(draw, TRAINING_CHIPS)[:2])}]",
        f"limits: {{gpus: {draw.choice([8, 12, 16, 24, 32, 100])}{budget}}}",
        f"money: {{options: [{', '.join(some(draw, WAYS))}]}}",
    ]
    return lines
