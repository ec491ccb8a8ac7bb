#!/bin/bash
#SBATCH -N 4 --gres=gpu:a100:8
export GPUS=8
srun --ntasks-per-node=1 bash -c 'torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 --rdzv_backend c10d --rdzv_endpoint $MASTER:29500 run_clm.py \
  --model_name_or_path meta-llama/Llama-3.1-70B --fsdp "full_shard auto_wrap offload" --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --block_size 4096 --max_steps 1000 --bf16'
