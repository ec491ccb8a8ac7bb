vllm serve meta-llama/Llama-3.3-70B-Instruct --max-num-seqs 2.5
