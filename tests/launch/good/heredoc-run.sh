#!/bin/bash
MODEL=meta-llama/Llama-3.1-70B-Instruct
TP=${TP:-4}
cat <<EOF > serve.sh
#!/bin/bash
vllm serve $MODEL \
  --tensor-parallel-size $TP --max-num-seqs \$1 \
  --kv-cache-dtype fp8
EOF
chmod +x serve.sh
nohup ./serve.sh 192 > serve.log 2>&1 &
