torchrun --nnodes 8 --nproc-per-node 8 pretrain_gpt.py \
 --num-layers 80 --hidden-size 8192 --num-attention-heads 64 --vocab-size 128256 --seq-length 8192 --micro-batch-size 1 --global-batch-size 1024 --bf16 --tensor-model-parallel-size eight
