docker run --gpus all -p 8000:8000 vllm/vllm-openai:latest vllm serve a/b --tensor-parallel-size 2
