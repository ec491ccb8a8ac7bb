trtllm-serve meta-llama/Llama-3.1-8B --tp_size 2 --max_batch_size 64 --max_num_tokens 8192
