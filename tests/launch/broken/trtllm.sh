trtllm-serve a/b --tp_size two
