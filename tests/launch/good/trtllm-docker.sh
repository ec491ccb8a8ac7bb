docker run --rm -it --ipc host --gpus all -p 8000:8000 nvcr.io/nvidia/tensorrt-llm/release:1.0.0 \
  trtllm-serve serve meta-llama/Llama-3.3-70B-Instruct --tp_size 4 --max_batch_size 256 --max_num_tokens 8192 --kv_cache_free_gpu_memory_fraction 0.9 --extra_llm_api_options /tmp/extra.yaml
