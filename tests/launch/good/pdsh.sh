pdsh -w node[01-04] "source /opt/env && vllm serve Qwen/Qwen3-32B -tp 8"
