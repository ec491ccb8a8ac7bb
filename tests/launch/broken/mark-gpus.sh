#!/bin/bash
# loadfactor: hardware=a100-80gb-sxm framework=pytorch-fsdp model=qwen2.5-7b gpus=12
exec torchrun --nnodes "${NNODES:-2}" --nproc-per-node 8 train.py
