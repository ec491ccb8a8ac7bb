vllm serve meta-llama/Llama-3.3-70B-Instruct --kv-cache-dtype fp9
