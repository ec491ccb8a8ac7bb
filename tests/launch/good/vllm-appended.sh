ARGS="--model Qwen/Qwen2.5-32B-Instruct -tp 2"
ARGS+=" --max-num-seqs 80"
LIST=(--kv-cache-dtype fp8)
LIST=("${LIST[@]}" --max-num-batched-tokens 2048)
vllm serve $ARGS "${LIST[@]}"
