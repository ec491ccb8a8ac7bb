torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 \
  --num-experts 8 --expert-model-parallel-size 8 --tensor-model-parallel-size 2 --sequence-parallel --bf16 --swiglu --untie-embeddings-and-output-weights \
  --vocab-size 32000 --seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --use-distributed-optimizer
