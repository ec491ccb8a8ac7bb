ssh n0 "vllm serve meta-llama/Llama-3.1-405B-Instruct -tp 8 -pp 2 --nnodes 2 --node-rank 0 --master-addr 10.0.0.1"
ssh n1 "vllm serve meta-llama/Llama-3.1-405B-Instruct -tp 8 -pp 2 --nnodes 2 --node-rank 1 --master-addr 10.0.0.1 --headless"
