torchrun --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size 8 --train-iters 10__000
