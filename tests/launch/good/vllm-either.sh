if [ -f /etc/large ]; then
  vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4
else
  vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size 1
fi
