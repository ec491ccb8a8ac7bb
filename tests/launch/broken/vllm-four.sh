vllm serve mistralai/Mistral-7B-Instruct-v0.3 --tensor-parallel-size 4
