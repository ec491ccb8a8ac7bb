#!/usr/bin/env bash
set -euo pipefail
export VLLM_USE_V1=1 CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7
exec vllm serve Qwen/Qwen3-235B-A22B-Instruct-2507-FP8 \
    --compilation-config '{"level": 3, "cudagraph_mode": "FULL_AND_PIECEWISE", "cudagraph_capture_sizes": [1,2,4,8,16]}' \
    -tp=4 -dp 2 --enable-expert-parallel \
    --max-model-len 32k --max-num-batched-tokens=16_384 --max-num-seqs 512 \
    --gpu-memory-utilization .92 --no-enable-prefix-caching \
    --speculative-config.method eagle3 --speculative-config.num_speculative_tokens 3 2>&1 | tee vllm.log
