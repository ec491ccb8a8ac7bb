main() {
  local args=(--tensor-parallel-size 4)
  launch "${args[@]}" "$@"
}
function launch {
  vllm serve Qwen/Qwen3-8B "$@"
}
main --max-num-seqs 99
