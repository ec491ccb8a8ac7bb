#!/bin/sh
# Measures whole training and inference steps and the batch sweep with PyTorch.
# run_steps.sh [all | compiled] [FOLDER]
set -u
cd "$(dirname "$0")/../.."
what=${1:-all}
out=${2:-${OUT:-probe-results}}
mkdir -p "$out"
export PYTHONUNBUFFERED=1
measure() {
  limit=$1
  shift
  name=$1
  shift
  timeout "$limit" python3 tools/gpu/steps.py "$@" 2>&1 | tee "$out/$name.log" | grep -E '^\{'
}
if [ "$what" = all ]; then
  measure 250 training training "$out/steps_training.csv"
  measure 170 inference inference "$out/steps_inference.csv"
  measure 100 batch batch "$out/batch.csv" qwen3-8b
  exit 0
fi
measure 330 compiled compiled "$out/steps_compiled.csv"
measure 200 batch_compiled batch "$out/batch_compiled.csv" qwen3-8b compiled
