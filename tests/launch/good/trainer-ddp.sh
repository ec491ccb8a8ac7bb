torchrun --nproc_per_node 8 t.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --max_seq_length 1024 --max_steps 100 --bf16 True
