trtllm-serve a/b --tp_size 2 --tp_size 4
