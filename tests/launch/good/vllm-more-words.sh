vllm serve meta-llama/Llama-3.1-8B-Instruct --max-num-seqs 32 $VLLM_EXTRA_ARGS
