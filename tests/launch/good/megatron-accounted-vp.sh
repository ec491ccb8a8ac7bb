torchrun --nnodes=16 --nproc-per-node=8 pretrain_gpt.py --tensor-model-parallel-size 8 --pipeline-model-parallel-size 16 \
  --num-virtual-stages-per-pipeline-rank 4 --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split \
  --num-layers 126 --hidden-size 16384 --num-attention-heads 128 --num-query-groups 8 --group-query-attention \
  --seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 2048 --bf16 --vocab-size 128256
