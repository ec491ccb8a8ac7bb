vllm serve meta-llama/Llama-3.1-8B-Instruct --port 8100 --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_producer"}' --max-num-seqs 8 &
for i in 1 2 3; do
  vllm serve meta-llama/Llama-3.1-8B-Instruct --port 820$i --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_consumer"}' --max-num-seqs 64 &
done
