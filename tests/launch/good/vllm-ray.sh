ray start --head --port=6379
sleep 10
vllm serve deepseek-ai/DeepSeek-R1 --tensor-parallel-size 8 --pipeline-parallel-size 2 --distributed-executor-backend ray --enable-expert-parallel --max-model-len 65536 --trust-remote-code
