vllm serve mistralai/Mixtral-8x7B -tp 4 --no-enable-expert-parallel
