accelerate launch --multi_gpu --num_processes 8 --mixed_precision bf16 train.py --model_name_or_path meta-llama/Llama-3.2-1B \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --max_seq_length 4096
