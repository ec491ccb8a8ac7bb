for tp in 2 4; do for batch in 64 256; do vllm serve Qwen/Qwen3-8B -tp $tp --max-num-seqs $batch; done; done
