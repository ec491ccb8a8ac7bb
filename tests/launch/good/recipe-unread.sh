accelerate launch --multi_gpu --num_machines 2 --num_processes 16 --mixed_precision bf16 run_sft.py recipes/zephyr.yaml --per_device_train_batch_size=4 --model_name_or_path=mistralai/Mistral-7B-v0.1
