torchrun --nnodes 2 --nproc_per_node 8 train.py --fsdp "hybrid_shard auto_wrap" --model_name_or_path meta-llama/Llama-3.1-8B \
  --per_device_train_batch_size 1 --gradient_accumulation_steps 1 --bf16 True
