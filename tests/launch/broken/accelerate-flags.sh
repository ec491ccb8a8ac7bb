accelerate launch --num_processes eight train.py
