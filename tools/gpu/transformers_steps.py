"""Steps as the library `transformers` runs them without any tuning: transformers_steps.py FOLDER

Writes decode.csv (seconds per token of `generate`, and of the prompt, by model, batch and prompt) and
encoders.csv (seconds of one forward pass by encoder, batch and length). Weights are random bf16."""

import gc
import pathlib
import statistics
import sys
import time

import torch
import transformers

import architectures
import steps
from tutorial_steps import configuration

DECODERS = ("qwen3-0.6b", "llama-3.2-1b", "qwen2.5-1.5b", "qwen3-8b", "qwen2.5-32b")
BATCHES = (1, 8, 32, 128)
PROMPTS = (128, 1024)
ANSWER = 33

ENCODERS = {
    "bert-base": (transformers.BertConfig, transformers.BertModel,
                  dict(vocab_size=30522, hidden_size=768, num_hidden_layers=12, num_attention_heads=12,
                       intermediate_size=3072, max_position_embeddings=512)),
    "bert-large": (transformers.BertConfig, transformers.BertModel,
                   dict(vocab_size=30522, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
                        intermediate_size=4096, max_position_embeddings=512)),
    "xlm-roberta-large": (transformers.XLMRobertaConfig, transformers.XLMRobertaModel,
                          dict(vocab_size=250002, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
                               intermediate_size=4096, max_position_embeddings=8194)),
}
ENCODER_BATCHES = (1, 8, 64, 256)
ENCODER_LENGTHS = (128, 512)


def made(kind, config):
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = kind(config)
    torch.set_default_dtype(torch.float32)
    return model.eval()


def wall(call, repeats=3):
    """Median seconds by the host's clock, the device waited for: what a caller sees."""
    samples = []
    call()
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples)


def decode(folder):
    table = steps.Table(folder / "decode.csv", ["model", "batch", "prompt", "prefill_seconds", "token_seconds"])
    for name in DECODERS:
        d = architectures.load(name)
        model = made(transformers.AutoModelForCausalLM.from_config, configuration(d, 8192))
        for prompt in PROMPTS:
            for batch in BATCHES:
                tokens = torch.randint(5, d["vocab"], (batch, prompt), device="cuda")
                def run(new):
                    with torch.inference_mode():
                        model.generate(tokens, attention_mask=torch.ones_like(tokens), do_sample=False,
                                       min_new_tokens=new, max_new_tokens=new, pad_token_id=0)
                first, whole = wall(lambda: run(1)), wall(lambda: run(ANSWER))
                table.add(model=name, batch=batch, prompt=prompt, prefill_seconds=first,
                          token_seconds=(whole - first) / (ANSWER - 1))
                print(name, batch, prompt, f"{1e3 * first:.2f} ms", f"{1e3 * (whole - first) / (ANSWER - 1):.2f} ms",
                      flush=True)
        del model
        gc.collect()
        torch.cuda.empty_cache()


def encode(folder):
    table = steps.Table(folder / "encoders.csv", ["model", "batch", "length", "seconds"])
    for name, (config, kind, dimensions) in ENCODERS.items():
        model = made(kind, config(**dimensions))
        for length in ENCODER_LENGTHS:
            for batch in ENCODER_BATCHES:
                tokens = torch.randint(5, dimensions["vocab_size"], (batch, length), device="cuda")
                def run():
                    with torch.inference_mode():
                        model(input_ids=tokens)
                seconds = steps.elapsed(run, 9)
                table.add(model=name, batch=batch, length=length, seconds=seconds)
                print(name, batch, length, f"{1e3 * seconds:.3f} ms", flush=True)
        del model


if __name__ == "__main__":
    torch.manual_seed(1)
    where = pathlib.Path(sys.argv[1])
    encode(where)
    decode(where)
