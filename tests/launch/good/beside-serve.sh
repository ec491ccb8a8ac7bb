#!/bin/bash
vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --port 8000
