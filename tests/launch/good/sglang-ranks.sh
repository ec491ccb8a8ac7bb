ssh n0 "python -m sglang.launch_server --model-path Qwen/Qwen3-235B-A22B --tp 16 --nnodes 2 --node-rank 0 --dist-init-addr n0:5000"
ssh n1 "python -m sglang.launch_server --model-path Qwen/Qwen3-235B-A22B --tp 16 --nnodes 2 --node-rank 1 --dist-init-addr n0:5000"
