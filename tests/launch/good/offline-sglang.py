import sglang as sgl
if __name__ == "__main__":
    llm = sgl.Engine(model_path="Qwen/Qwen3-30B-A3B", tp_size=4, ep_size=4, mem_fraction_static=0.85)
    llm.generate(["hello"])
