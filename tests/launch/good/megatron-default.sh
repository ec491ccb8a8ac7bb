#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NUM_NODES=${NUM_NODES:-16}
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
TP=4; PP=2
DISTRIBUTED_ARGS="--nproc_per_node $GPUS_PER_NODE --nnodes $NUM_NODES --master_addr $MASTER_ADDR --master_port 6000"
GPT_MODEL_ARGS=(
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention --num-query-groups 8
    --seq-length 8192
    --max-position-embeddings 8192
    --swiglu --normalization RMSNorm --disable-bias-linear
    --untie-embeddings-and-output-weights --position-embedding-type rope
    --attention-backend auto
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 1536
    --train-samples 2000000
    --weight-decay 0.1 --lr 6.0e-5
    --clip-grad 1.0
    --fp8-format hybrid
    --bf16
    --recompute-activations
    --recompute-granularity selective
)
MODEL_PARALLEL_ARGS=(
	--tensor-model-parallel-size $TP
	--pipeline-model-parallel-size ${PP}
    --sequence-parallel
    --use-distributed-optimizer
    --num-layers-per-virtual-pipeline-stage 4
)
torchrun ${DISTRIBUTED_ARGS} pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} \
    ${TRAINING_ARGS[@]} \
    "${MODEL_PARALLEL_ARGS[@]}" \
    --tokenizer-type HuggingFaceTokenizer --tokenizer-model /ckpt/llama3 \
    --vocab-size 128256
