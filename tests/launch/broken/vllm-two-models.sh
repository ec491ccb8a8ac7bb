vllm serve a/b
vllm serve c/d
