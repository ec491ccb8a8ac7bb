torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 \
  --num-experts 8 --moe-layer-freq $FREQ --expert-model-parallel-size 8 --expert-tensor-parallel-size 1 --tensor-model-parallel-size 2 --bf16 --swiglu \
  --vocab-size 32000 --seq-length 4096 --micro-batch-size 1 --global-batch-size 64
