#!/bin/bash
# vLLM with two GPUs per replica, behind nginx
launch_vllm() {
    local idx="$1"; shift
    local devs="$1"; shift
    docker run -d --name "vllm-$idx" --gpus "device=$devs" -p $((8000 + idx)):8000 vllm/vllm-openai:v0.11.0 \
        --model Qwen/Qwen3-32B --tensor-parallel-size 2 "$@"
}
launch_vllm 0 0,1 --max-num-seqs 128
launch_vllm 1 2,3 --max-num-seqs 128
launch_vllm 2 4,5 --max-num-seqs 128
launch_vllm 3 6,7 --max-num-seqs 128
