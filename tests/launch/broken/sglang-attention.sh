python -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --tp-size 4 --dp-size 3 --enable-dp-attention
