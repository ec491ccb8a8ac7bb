vllm serve meta-llama/Llama-3.3-70B-Instruct --dtype=bfloat61
