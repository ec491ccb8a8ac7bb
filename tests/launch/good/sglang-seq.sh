for rank in $(seq 0 1); do
  CUDA_VISIBLE_DEVICES=$((rank * 2)),$((rank * 2 + 1)) python -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp 2 --port $((30000 + rank)) &
done; wait
