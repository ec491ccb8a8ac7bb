vllm serve --config /etc/vllm/vllm-maps.yaml
