docker run --gpus all -v ~/.cache:/root/.cache -p 8000:8000 vllm/vllm-openai:v0.10.0 --model Qwen/Qwen2.5-32B-Instruct --tensor-parallel-size 2
