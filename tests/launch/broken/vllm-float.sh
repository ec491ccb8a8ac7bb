vllm serve meta-llama/Llama-3.3-70B-Instruct --gpu-memory-utilization most
