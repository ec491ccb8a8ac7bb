for i in `seq 0 3`; do
  CUDA_VISIBLE_DEVICES=$i python -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3-8B --port $((8000 + i)) &
done
