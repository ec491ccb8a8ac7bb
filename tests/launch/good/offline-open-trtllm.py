from tensorrt_llm import LLM
def load(**settings):
    return LLM(model="Qwen/Qwen3-8B", **settings)
