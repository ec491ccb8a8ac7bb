"""Reads the model dimensions of data/models, without a YAML library."""

import pathlib
import re

MODELS = pathlib.Path(__file__).resolve().parents[2] / "data" / "models"


def _value(text, key, default=None):
    found = re.search(rf"(?<![\w-]){key}: *([^,}}\s]+)", text)
    return found.group(1) if found else default


def _block(text, key):
    """The text under `key:`, whether on one line or indented below it."""
    found = re.search(rf"^{key}:(.*(?:\n[ ]+.*)*)", text, re.M)
    return found.group(1) if found else ""


def load(name):
    """Dimensions of `name`, or of `name@L` cut to its first L layers."""
    name, _, layers = name.partition("@")
    text = (MODELS / f"{name}.yaml").read_text()
    attention, mlp, moe = (_block(text, key) for key in ("attention", "mlp", "moe"))
    norm = _block(text, "norm")
    return {
        "name": name,
        "layers": int(layers or _value(text, "layers")),
        "hidden": int(_value(text, "hidden")),
        "vocab": int(_value(text, "vocab")),
        "heads": int(_value(attention, "heads")),
        "kv_heads": int(_value(attention, "kv_heads")),
        "head_dim": int(_value(attention, "head_dim")),
        "qkv_bias": _value(attention, "qkv", "false") == "true",
        "qk_norm": _value(attention, "qk_norm", "none") == "head",
        "norms": int(_value(norm, "per_layer", "2")),
        "ffn": int(_value(mlp, "width", "0")) if mlp else 0,
        "gated": _value(mlp, "kind", "gated") == "gated" if mlp else True,
        "experts": int(_value(moe, "experts", "0")) if moe else 0,
        "top_k": int(_value(moe, "top_k", "0")) if moe else 0,
        "expert_ffn": int(_value(moe, "width", "0")) if moe else 0,
    }
