#!/bin/bash
cat > serve-big.sh <<'EOF'
#!/bin/bash
vllm serve Qwen/Qwen3-235B-A22B --tensor-parallel-size 8 --kv-cache-dtype fp8
EOF
chmod +x serve-big.sh
vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4
