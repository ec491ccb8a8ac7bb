MODEL=meta-llama/Llama-3.1-8B-Instruct
ARGS="--tensor-parallel-size 2 --max-num-seqs 64"
[ -n "$X" ] && ARGS="$ARGS --kv-cache-dtype fp8"
exec vllm serve "$MODEL" $ARGS "$@"
