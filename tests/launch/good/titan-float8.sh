NGPU=8 CONFIG_FILE=./train_configs/llama3_8b.toml ./run_train.sh --model.converters="quantize.linear.float8" \
  --training.mixed_precision_param bfloat16 --quantize.linear.float8.recipe_name rowwise --training.local_batch_size 2 --training.seq_len 8192
