#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1,2,3 python3 - <<'EOF'
from vllm import LLM
llm = LLM(model="Qwen/Qwen3-32B", tensor_parallel_size=4)
EOF
