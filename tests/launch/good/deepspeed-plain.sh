deepspeed --num_gpus 8 train.py --deepspeed_config deepspeed-plain.json --model_name_or_path Qwen/Qwen2.5-7B
