trtllm-serve serve a/b --tp_size=4 --pp_size=2
