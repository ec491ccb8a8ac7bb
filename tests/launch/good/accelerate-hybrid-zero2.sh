accelerate launch --num_machines 2 --num_processes 16 --use_fsdp --fsdp_sharding_strategy 5 train.py \
  --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 1 --gradient_accumulation_steps 1
