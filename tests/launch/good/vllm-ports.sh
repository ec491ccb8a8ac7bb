#!/bin/bash
MODELS=(Qwen/Qwen3-8B)
PORTS=(8001 8002 8003 8004)
for idx in "${!PORTS[@]}"; do
  CUDA_VISIBLE_DEVICES=$idx nohup vllm serve ${MODELS[0]} --port ${PORTS[$idx]} --gpu-memory-utilization 0.95 > vllm_$idx.log 2>&1 &
done
