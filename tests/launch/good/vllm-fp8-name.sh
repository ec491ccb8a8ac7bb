vllm serve Qwen/Qwen3-235B-A22B-FP8 -tp 8 -ep --max-num-seqs 64
