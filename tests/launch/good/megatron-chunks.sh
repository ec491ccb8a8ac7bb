torchrun --nnodes=16 --nproc-per-node=8 pretrain_gpt.py --tensor-model-parallel-size 8 \
  --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 5 \
  --seq-length 4096 --micro-batch-size 1 --global-batch-size 512 --bf16
