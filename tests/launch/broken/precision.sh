export LF_MODEL=gpt2 LF_PRECISION=madeup
torchrun --nnodes 1 --nproc-per-node 8 train.py
