for m in Qwen/Qwen3-8B Qwen/Qwen3-32B; do
  vllm serve Qwen/Qwen3-8B --max-num-seqs ten
done
