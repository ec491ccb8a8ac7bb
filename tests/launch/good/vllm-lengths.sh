vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len auto --max-num-batched-tokens 8k --port 8000 > server.log 2>&1 &
vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 32k --max-num-batched-tokens 8k --port 8001 > server2.log 2>&1 &
