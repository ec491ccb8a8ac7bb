cat <<EOF > serve.sh
vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size two
EOF
bash serve.sh
