accelerate launch --num_processes 8 --num_machines 1 --mixed_precision bf16 --use_fsdp train.py --lr 1e-4
