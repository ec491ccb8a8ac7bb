accelerate launch --num_machines 4 --num_processes 32 --use_fsdp --fsdp_sharding_strategy HYBRID_SHARD \
  --mixed_precision bf16 train.py --model_name_or_path meta-llama/Llama-3.1-8B \
  --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --max_seq_length 4096
