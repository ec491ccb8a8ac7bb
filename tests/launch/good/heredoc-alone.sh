#!/bin/bash
cat > serve.sh <<'EOF'
#!/bin/bash
vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4
EOF
chmod +x serve.sh
echo "now run ./serve.sh"
