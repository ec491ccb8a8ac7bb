false && vllm serve Qwen/Qwen2.5-7B-Instruct -tp 2
if false; then
  vllm serve Qwen/Qwen2.5-7B-Instruct -tp 8
fi
vllm serve Qwen/Qwen2.5-7B-Instruct -tp 4
exit 0
vllm serve Qwen/Qwen2.5-7B-Instruct -tp 16
