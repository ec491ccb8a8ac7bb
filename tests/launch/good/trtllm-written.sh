cat > extra.yaml <<EOF
enable_attention_dp: true
kv_cache_config:
  dtype: fp8
  free_gpu_memory_fraction: 0.85
moe_config:
  backend: CUTLASS
EOF
trtllm-serve nvidia/DeepSeek-R1-FP4 --backend pytorch --tp_size 8 --ep_size 8 --max_batch_size 256 --max_num_tokens 8192 --extra_llm_api_options extra.yaml
