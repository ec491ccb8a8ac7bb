python3 -m sglang.launch_server --model-path Qwen/Qwen3-235B-A22B --tp=8 --ep-size=8 --enable-dp-attention --dp=8 --quantization=fp8
