accelerate launch --num_processes 16 --num_machines 2 --mixed_precision bf16 --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu --gradient_accumulation_steps 4 train.py
