for h in gpu-{01..04}; do
  ssh "$h" "cd /srv && nohup vllm serve Qwen/Qwen3-32B -tp 4 > log 2>&1" &
done
