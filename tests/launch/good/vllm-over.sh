vllm serve Qwen/Qwen3-8B --config vllm-over.yaml --tensor-parallel-size 8
