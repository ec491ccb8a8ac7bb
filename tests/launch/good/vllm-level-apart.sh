vllm serve meta-llama/Llama-3.1-8B-Instruct -O 1 -O.cudagraph_mode=FULL --tensor-parallel-size=4
