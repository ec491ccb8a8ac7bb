python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp-size 16 --dp-size 8 --enable-dp-attention --ep-size 16 --max-running-requests 1024
