#!/bin/bash
GPUS_PER_NODE=8
NUM_NODES=2
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
)
MODEL_ARGS=(
    --num-layers 80 --hidden-size 8192 --num-attention-heads 64 --vocab-size 128256 --seq-length 8192 --micro-batch-size 1 --global-batch-size 1024 --bf16   # the model
)
PARALLEL="
  --tensor-model-parallel-size 4
  --pipeline-model-parallel-size 2
"
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${MODEL_ARGS[@]} $PARALLEL --recompute-activations
