vllm serve a/b --enable-lora --max-lora-rank 17
