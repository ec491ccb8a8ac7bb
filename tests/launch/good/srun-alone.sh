srun -N4 --gpus-per-node=8 torchrun --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 64 --seq-length 4096
