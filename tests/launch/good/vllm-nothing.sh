vllm serve a/b
