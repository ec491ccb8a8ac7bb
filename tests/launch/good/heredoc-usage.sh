#!/bin/bash
usage() {
  cat <<EOF
Usage: $0
  vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 8
EOF
  exit 1
}
[ $# -gt 3 ] && usage
cat <<EOF
next time: vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 8
EOF
python -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp 4
