ARGS="--tensor-model-parallel-size 2
torchrun --nproc_per_node 8 pretrain_gpt.py $ARGS
