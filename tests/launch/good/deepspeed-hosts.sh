deepspeed --hostfile=hosts.txt --master_port 29501 train.py --model_name_or_path Qwen/Qwen2.5-72B --per_device_train_batch_size 1 \
  --gradient_accumulation_steps 16 --gradient_checkpointing True --bf16 True --max_steps 2000 --model_max_length 4096 --deepspeed ds-hosts.json
