"""A decoder-only transformer in plain PyTorch: fused projections, library attention, experts by
grouped products. Random weights; the embedding and the output head are separate tensors."""

import torch
import torch.nn.functional as F
from torch import nn


def rotate(x, cos, sin):
    """x is [batch, heads, length, size]; cos and sin are [length, size / 2]."""
    low, high = x.chunk(2, dim=-1)
    return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1)


def angles(length, size, device, start=0):
    frequency = 1e4 ** (-torch.arange(0, size, 2, device=device, dtype=torch.float32) / size)
    turn = torch.arange(start, start + length, device=device, dtype=torch.float32)[:, None] * frequency
    return turn.cos().bfloat16(), turn.sin().bfloat16()


class Experts(nn.Module):
    def __init__(self, d):
        super().__init__()
        count, hidden, width = d["experts"], d["hidden"], d["expert_ffn"]
        self.router = nn.Linear(hidden, count, bias=False)
        self.up = nn.Parameter(torch.empty(count, 2 * width, hidden))
        self.down = nn.Parameter(torch.empty(count, hidden, width))
        self.count, self.top = count, d["top_k"]
        self.even = False  # Every expert gets the same number of rows.

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        scores = torch.softmax(self.router(x).float(), dim=-1)
        if self.even:
            picks = torch.arange(x.shape[0] * self.top, device=x.device) % self.count
            picks = picks.view(-1, self.top)
            weights = scores.gather(1, picks)
        else:
            weights, picks = scores.topk(self.top, dim=-1)
        order = torch.argsort(picks.flatten(), stable=True)
        rows = order // self.top
        counts = torch.zeros(self.count, device=x.device, dtype=torch.int32)
        counts = counts.scatter_add(0, picks.flatten(), torch.ones_like(picks.flatten(), dtype=torch.int32))
        ends = counts.cumsum(0, dtype=torch.int32)
        h = torch._grouped_mm(x[rows], self.up.transpose(-2, -1), offs=ends)
        gate, value = h.chunk(2, dim=-1)
        h = torch._grouped_mm(F.silu(gate) * value, self.down.transpose(-2, -1), offs=ends)
        h = h * weights.flatten()[order, None].to(h.dtype)
        return torch.zeros_like(x).index_add(0, rows, h).view(shape)


class Mlp(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gated = d["gated"]
        self.up = nn.Linear(d["hidden"], d["ffn"] * (2 if self.gated else 1), bias=False)
        self.down = nn.Linear(d["ffn"], d["hidden"], bias=False)

    def forward(self, x):
        h = self.up(x)
        if not self.gated:
            return self.down(F.gelu(h))
        gate, value = h.chunk(2, dim=-1)
        return self.down(F.silu(gate) * value)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        hidden, self.size = d["hidden"], d["head_dim"]
        self.heads, self.kv_heads = d["heads"], d["kv_heads"]
        self.qkv = nn.Linear(hidden, (self.heads + 2 * self.kv_heads) * self.size, bias=d["qkv_bias"])
        self.out = nn.Linear(self.heads * self.size, hidden, bias=False)
        self.norms = nn.ParameterList(nn.Parameter(torch.ones(hidden)) for _ in range(d["norms"]))
        self.qk_norm = d["qk_norm"]
        if self.qk_norm:
            self.q_scale = nn.Parameter(torch.ones(self.size))
            self.k_scale = nn.Parameter(torch.ones(self.size))
        self.ffn = Experts(d) if d["experts"] else Mlp(d)

    def norm(self, x, i):
        return F.rms_norm(x, (x.shape[-1],), self.norms[i], 1e-6)

    def project(self, x, cos, sin):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, -1, self.size).transpose(1, 2).split(
            (self.heads, self.kv_heads, self.kv_heads), dim=1)
        if self.qk_norm:
            q = F.rms_norm(q, (self.size,), self.q_scale, 1e-6)
            k = F.rms_norm(k, (self.size,), self.k_scale, 1e-6)
        return rotate(q, cos, sin), rotate(k, cos, sin), v

    def attend(self, q, k, v, causal):
        o = F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=self.heads != self.kv_heads)
        return self.out(o.transpose(1, 2).reshape(q.shape[0], q.shape[2], -1))

    def forward(self, x, cos, sin, cache=None, place=None):
        q, k, v = self.project(self.norm(x, 0), cos, sin)
        if cache is not None:
            cache[0][:, :, place:place + 1].copy_(k)
            cache[1][:, :, place:place + 1].copy_(v)
            k, v = cache
        a = self.attend(q, k, v, causal=cache is None)
        more = len(self.norms) == 4
        x = x + (self.norm(a, 1) if more else a)
        h = self.ffn(self.norm(x, 2 if more else 1))
        return x + (self.norm(h, 3) if more else h)


class Transformer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.d = d
        self.embedding = nn.Embedding(d["vocab"], d["hidden"])
        self.blocks = nn.ModuleList(Block(d) for _ in range(d["layers"]))
        self.final = nn.Parameter(torch.ones(d["hidden"]))
        self.head = nn.Linear(d["hidden"], d["vocab"], bias=False)

    def hidden(self, tokens, cos, sin, run=None):
        x = self.embedding(tokens)
        for i, block in enumerate(self.blocks):
            x = run(block, x, cos, sin) if run else block(x, cos, sin)
        return F.rms_norm(x, (x.shape[-1],), self.final, 1e-6)


def make(d, device="cuda"):
    """A model with random bf16 weights, made where it will live."""
    old = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("meta"):
        model = Transformer(d)
    torch.set_default_dtype(old)
    model = model.to_empty(device=device)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1 and "bias" not in name:
                parameter.fill_(1.0)
            else:
                parameter.normal_(0, 0.02)
    return model
