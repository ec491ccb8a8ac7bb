#!/usr/bin/env bash
set -euo pipefail
MODEL=meta-llama/Llama-3.1-8B-Instruct
log() { echo "$(date): $*"; }
start_server() {
  local gpu=$1 port=${2:-8000}
  CUDA_VISIBLE_DEVICES=$gpu vllm serve "$MODEL" --port "$port" --max-num-seqs "$3" &
}
start_server 0 8001 128
start_server 1 8002 128
start_server 2 8003 128
log "up"
wait
