#!/bin/bash
GBS=256
cat > job.sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gpus-per-node=h100:8
torchrun --nnodes=4 --nproc-per-node=8 pretrain_gpt.py --tensor-model-parallel-size 8 --micro-batch-size 1 \
  --global-batch-size $GBS --seq-length 4_096 --train-iters 10_000 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --vocab-size 32_000
EOF
sbatch job.sbatch
