torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --bf16 \
  --num-experts 8 --moe-layer-freq every --seq-length 4096 --micro-batch-size 1 --global-batch-size 64
