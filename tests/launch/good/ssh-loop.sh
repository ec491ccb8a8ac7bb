#!/bin/bash
for h in node1 node2 node3; do
  ssh -o StrictHostKeyChecking=no $h vllm serve Qwen/Qwen3-32B --tensor-parallel-size 8 --port 8000 &
done
wait
