trtllm-serve nvidia/Llama-3.3-70B-Instruct-FP8 --tp_size 2 --max_batch_size 64 --extra_llm_api_options options.yaml
