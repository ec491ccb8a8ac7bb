MASTER_ADDR=localhost
torchrun --nproc_per_node 8 --nnodes 4 --node_rank $RANK --master_addr $MASTER_ADDR pretrain_gpt.py \
  --use-mcore-models --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 \
  --seq-length 4096 --max-position-embeddings 32768 --num-experts 8 --moe-router-topk 2 --moe-grouped-gemm --moe-token-dispatcher-type alltoall \
  --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-2 --swiglu --untie-embeddings-and-output-weights --vocab-size 32000 \
  --micro-batch-size 1 --global-batch-size 256 --train-samples 1_000_000 --bf16 --tensor-model-parallel-size 1 --pipeline-model-parallel-size 4 \
  --num-layers-per-virtual-pipeline-stage 8 --expert-model-parallel-size 8 --use-distributed-optimizer --sequence-parallel --recompute-granularity selective --recompute-modules moe_act layernorm
