torchrun train.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --bf16 --max_seq_length 4096
