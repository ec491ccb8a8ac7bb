python -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --tp-size 4 --max-running-requests 256 --chunked-prefill-size 8192 --kv-cache-dtype fp8_e4m3
