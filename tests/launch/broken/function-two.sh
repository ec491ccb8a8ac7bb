start() {
  vllm serve "$1" --port $2 &
}
start Qwen/Qwen3-8B 8000
start Qwen/Qwen3-32B 8001
