vllm serve a/b --enable-lora --max-loras 4 --max-lora-rank 32
