export LF_MODEL=gpt2 LF_STRATEGY=sometimes
torchrun --nnodes 1 --nproc-per-node 8 train.py
