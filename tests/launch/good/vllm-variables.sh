TP=4
MODEL=meta-llama/Llama-3.1-8B-Instruct
vllm serve "$MODEL" --tensor-parallel-size ${TP}
