#!/bin/bash
#SBATCH --job-name=mixtral
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=8
#SBATCH --gres=gpu:8
#SBATCH --time=48:00:00
set -euo pipefail
TP=${TP:-2}
PP=4
EP=8
MBS=1
GBS=$((256 * 2))
SEQ_LEN=4096
OPTIONS=" \
  --use-mcore-models --bf16 \
  --tensor-model-parallel-size ${TP} \
  --pipeline-model-parallel-size ${PP} \
  --expert-model-parallel-size ${EP} \
  --sequence-parallel --use-distributed-optimizer \
  --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 \
  --num-experts 8 --moe-router-topk 2 --swiglu --untie-embeddings-and-output-weights --vocab-size 32000 \
  --seq-length ${SEQ_LEN} --max-position-embeddings ${SEQ_LEN} \
  --micro-batch-size ${MBS} --global-batch-size ${GBS} --train-samples 268554688 \
  --recompute-granularity full --recompute-method uniform --recompute-num-layers 1"
[ -n "${WANDB_API_KEY:-}" ] && OPTIONS="${OPTIONS} --wandb-project foo"
srun -l --container-image nvcr.io/nvidia/pytorch:25.04-py3 --container-mounts "/data:/data" sh -c "python -u pretrain_gpt.py ${OPTIONS}"
