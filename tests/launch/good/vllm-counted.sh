for ((i = 0; i < 4; i++)); do
  vllm serve Qwen/Qwen3-8B --port 8000 --tensor-parallel-size 2 &
done
