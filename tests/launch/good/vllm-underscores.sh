vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor_parallel_size 2 --max_num_batched_tokens 4096
