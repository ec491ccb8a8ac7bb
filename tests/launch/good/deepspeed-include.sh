#!/bin/bash
set -x
OUT=./output; ZERO_STAGE=${1:-3}
mkdir -p $OUT
deepspeed --include localhost:0,1,2,3 --master_port 29501 train.py \
   --model_name_or_path meta-llama/Llama-3.1-8B \
   --per_device_train_batch_size 4 \
   --gradient_accumulation_steps 8 \
   --max_seq_length 4096 \
   --learning_rate 9.65e-6 --num_train_epochs 2 \
   --bf16 True --gradient_checkpointing True \
   --deepspeed deepspeed-include.json \
   --output_dir $OUT &> $OUT/training.log
