torchrun --nproc-per-node 8 train.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16 \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --optim adafactor
