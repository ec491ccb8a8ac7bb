CUDA_VISIBLE_DEVICES=0,1 VLLM_USE_V1=1 nohup vllm serve a/b --tensor-parallel-size 2 > log 2>&1 &
