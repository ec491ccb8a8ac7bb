python -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --kv-cache-dtype int3
