pkill -f "vllm serve x --port 9999" || true
vllm serve Qwen/Qwen3-8B --port 8000
