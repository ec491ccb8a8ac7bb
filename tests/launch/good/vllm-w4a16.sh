vllm serve neuralmagic/Meta-Llama-3.1-70B-Instruct-quantized.w4a16 -tp=2
