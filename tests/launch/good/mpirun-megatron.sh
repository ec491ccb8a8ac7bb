mpirun -np 16 --hostfile hosts -x NCCL_DEBUG=INFO --mca btl self,tcp python pretrain_gpt.py \
  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --sequence-parallel \
  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --vocab-size 128256 \
  --seq-length 8192 --micro-batch-size 1 --global-batch-size 128 --bf16 --use-distributed-optimizer
