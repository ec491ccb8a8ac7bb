from vllm import LLM
settings = dict(
    model="Qwen/Qwen3-32B",
    tensor_parallel_size=4,  # of one node
    max_num_seqs=128,
)
llm = LLM(**settings, kv_cache_dtype="fp8")
