vllm serve meta-llama/Llama-3.3-70B-Instruct --enable-prefix-caching \
 --no-enable-prefix-caching
