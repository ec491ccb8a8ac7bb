export NNODES=2
export NPROC_PER_NODE=8
swift pt --model Qwen/Qwen2.5-7B --train_type=full --torch_dtype=bfloat16 \
  --per_device_train_batch_size=1 --gradient_accumulation_steps=8 --max_length=8192 \
  --gradient_checkpointing true --deepspeed zero3_offload --max_steps 1000
