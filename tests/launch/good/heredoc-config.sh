#!/bin/bash
cat > fsdp.yaml <<EOF
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
fsdp_config:
  fsdp_sharding_strategy: HYBRID_SHARD
  fsdp_activation_checkpointing: true
mixed_precision: bf16
num_machines: 2
num_processes: 16
EOF
accelerate launch --config_file fsdp.yaml sft.py --model_name_or_path Qwen/Qwen2.5-32B \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --max_seq_length 8192
