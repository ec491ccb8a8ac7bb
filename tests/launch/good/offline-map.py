from vllm import LLM
kw = {"tensor_parallel_size": 2, "gpu_memory_utilization": 0.85}
kw["max_num_seqs"] = 64
llm = LLM(model="Qwen/Qwen3-8B", **kw)
