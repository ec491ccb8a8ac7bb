CUDA_VISIBLE_DEVICES=0,1 vllm serve mistralai/Mistral-7B-Instruct-v0.3 --tensor-parallel-size 4
