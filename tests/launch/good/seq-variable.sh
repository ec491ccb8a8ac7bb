N=4
for i in $(seq 0 $((N-1))); do
  python -m sglang.launch_server --model-path Qwen/Qwen3-8B --port $((30000+i)) --base-gpu-id $i &
done
