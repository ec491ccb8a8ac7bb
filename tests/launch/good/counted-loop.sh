NUM=${NUM:-6}
for ((i=0; i<NUM; i++)); do
  CUDA_VISIBLE_DEVICES=$i vllm serve Qwen/Qwen3-8B --port $((9000+i)) > log.$i 2>&1 &
done
