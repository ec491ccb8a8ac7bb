HOSTS="n1 n2 n3"
for h in $HOSTS; do ssh $h "docker run --gpus all vllm/vllm-openai --model Qwen/Qwen3-8B --tensor-parallel-size 8" & done
