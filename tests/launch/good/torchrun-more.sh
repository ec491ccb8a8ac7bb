torchrun $DISTRIBUTED_ARGS pretrain_gpt.py --tensor-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 64 \
  --seq-length 4096 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --vocab-size 32000
