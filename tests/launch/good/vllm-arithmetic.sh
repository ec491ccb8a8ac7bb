N=2
vllm serve a/b --tensor-parallel-size $((N * 4))
