args=(--tensor-parallel-size 4 --max-num-seqs 128)
args+=(--max-num-batched-tokens 2048)
exec vllm serve x/y "${args[@]}"
