accelerate launch --num_processes 8 -m trl dpo --model_name_or_path Qwen/Qwen2.5-7B-Instruct --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --bf16 --max_length 2048
