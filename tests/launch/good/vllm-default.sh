vllm serve "${MODEL:-Qwen/Qwen2.5-32B-Instruct}" --tensor-parallel-size "${TP:-2}"
