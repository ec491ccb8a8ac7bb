docker run --gpus 2 vllm/vllm-openai --model Qwen/Qwen2.5-7B-Instruct -tp 4
