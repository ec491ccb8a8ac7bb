#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NUM_NODES=${SLURM_NNODES:-8}
NODE_RANK=${SLURM_NODEID:-0}
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
MODEL_SIZE=${1:-70B}
FP8=${FP8:-true}
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
    --node_rank $NODE_RANK
    --master_addr ${MASTER_ADDR:-localhost}
    --master_port 6000
)
if [ "$MODEL_SIZE" = "8B" ]; then
  MODEL_ARGS=(--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32)
  TP=1; PP=1
elif [ "$MODEL_SIZE" = "70B" ]; then
  MODEL_ARGS=(--num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64)
  TP=4; PP=4
fi
MODEL_ARGS+=(--group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm --untie-embeddings-and-output-weights
  --seq-length 8192 --max-position-embeddings 8192 --position-embedding-type rope --rotary-base 500000 --disable-bias-linear --vocab-size 128256)
TRAINING_ARGS=(
  --micro-batch-size 1
  --global-batch-size 512
  --train-iters 500000
  --lr 1.5e-4 --min-lr 1e-5 --lr-decay-style cosine
  --bf16
  --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather
  --use-flash-attn
)
if [[ "$FP8" == "true" ]]; then
  TRAINING_ARGS+=(--fp8-format hybrid --fp8-amax-history-len 1024 --fp8-amax-compute-algo max --transformer-impl transformer_engine)
fi
if [[ $PP -gt 1 ]]; then
  TRAINING_ARGS+=(--num-layers-per-virtual-pipeline-stage 5)
fi
MODEL_PARALLEL_ARGS="--tensor-model-parallel-size ${TP} --pipeline-model-parallel-size ${PP} --sequence-parallel"
torchrun "${DISTRIBUTED_ARGS[@]}" pretrain_gpt.py \
  "${MODEL_ARGS[@]}" "${TRAINING_ARGS[@]}" ${MODEL_PARALLEL_ARGS} \
  --data-path ${DATA} --split 949,50,1 --save ckpt --save-interval 1000 --log-interval 1 --tensorboard-dir tb
