vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size=8 --gpu-memory-utilization=0.92
