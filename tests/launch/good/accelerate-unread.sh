accelerate launch --config_file fsdp.yaml --num_processes 8 train.py --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 4
