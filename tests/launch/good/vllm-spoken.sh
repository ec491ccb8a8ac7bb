echo "Running: vllm serve Qwen/Qwen2.5-7B-Instruct -tp 8"
vllm serve Qwen/Qwen2.5-7B-Instruct -tp 2 --max-num-seq 12
