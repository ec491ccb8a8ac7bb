for port in 8000 8001; do
  vllm serve Qwen/Qwen3-8B --port $port &
done


wait