torchrun --standalone --nproc-per-node=8 train.py --batch 8
