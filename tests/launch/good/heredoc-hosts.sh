for n in n1 n2; do
ssh $n 'bash -s' <<'EOF'
vllm serve Qwen/Qwen3-32B --tensor-parallel-size 8 --port 8000
EOF
done
