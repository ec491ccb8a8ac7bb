"""What a layer of a Llama keeps for its backward pass when transformers runs it one kernel at a time.

    python3 tools/gpu/eager_memory.py

Prints bytes for each token and element of the width, from the difference between models of two and of
six layers, in pure bf16 and under autocast with fp32 weights (whose 16-bit copies are kept, too). Needs
torch, transformers and a GPU.
"""
import torch
from transformers import LlamaConfig, LlamaForCausalLM

WIDTH = 4096
MLP = 11008


def kept(layers, mode, length, batch):
    """Bytes that a forward pass leaves allocated."""
    torch.manual_seed(0)
    config = LlamaConfig(hidden_size=WIDTH, intermediate_size=MLP, num_hidden_layers=layers,
                         num_attention_heads=32, num_key_value_heads=32, vocab_size=32000,
                         max_position_embeddings=length, use_cache=False, attn_implementation="sdpa")
    model = LlamaForCausalLM(config).cuda().train()
    if mode == "bf16":
        model = model.bfloat16()
    tokens = torch.randint(0, 32000, (batch, length), device="cuda")
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    with torch.autocast("cuda", torch.bfloat16, enabled=mode == "autocast"):
        hidden = model.model(tokens).last_hidden_state
    after = torch.cuda.memory_allocated()
    del hidden, model
    torch.cuda.empty_cache()
    return after - before


def main():
    for mode in ("bf16", "autocast"):
        for length, batch in ((4096, 1), (2048, 3)):
            each = (kept(6, mode, length, batch) - kept(2, mode, length, batch)) / 4
            copies = 2 * (4 * WIDTH**2 + 3 * WIDTH * MLP) if mode == "autocast" else 0
            elements = WIDTH * length * batch
            print(f"{mode}, {batch} x {length}: {(each - copies) / elements:.2f} bytes, "
                  f"and {copies / 1e9:.2f} GB of copied weights")


if __name__ == "__main__":
    main()
