vllm serve meta-llama/Llama-3.3-70B-Instruct -tp 4 -pp 2 -dp 2 -q fp8
