ACCELERATE_LOG_LEVEL=info accelerate launch --config_file accelerate-zero3.yaml --num_processes=8 \
  scripts/sft.py --config recipes/config_full.yaml --per_device_train_batch_size=2 --gradient_accumulation_steps=4 --model_name_or_path=mistralai/Mistral-7B-v0.1 --max_seq_length=2048
