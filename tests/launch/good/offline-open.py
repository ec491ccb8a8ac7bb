from sglang import Engine
def load(path, **kw):
    return Engine(model_path="Qwen/Qwen3-8B", **kw)
