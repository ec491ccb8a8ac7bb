#!/bin/bash
for port in {8000..8002}
do
  vllm serve Qwen/Qwen3-8B --port "$port" --max-num-seqs 128 &
done
wait
