#!/bin/bash
# Writes its configuration itself.
cat > ds.json <<'EOF'
{ "train_batch_size": 256, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 4,
  "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "overlap_comm": true} }
EOF
cat <<MESSAGE
Don't stop it by hand.
MESSAGE
deepspeed --num_nodes 2 --num_gpus 8 train.py --deepspeed --deepspeed_config ds.json
