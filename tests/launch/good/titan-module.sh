#!/bin/bash
#SBATCH --job-name=llama
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-task=8
export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
srun torchrun --nnodes=$SLURM_NNODES --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$MASTER_ADDR:29500 \
   -m torchtitan.train --job.config_file ./train_configs/llama3_70b.toml --parallelism.tensor_parallel_degree=8
