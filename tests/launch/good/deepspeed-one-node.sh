deepspeed --num_gpus=8 train.py --deepspeed deepspeed-one-node.json --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 4 --gradient_accumulation_steps 8 --gradient_checkpointing True
