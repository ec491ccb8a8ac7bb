#!/bin/sh
# Measures whole training and inference steps and the batch sweep with PyTorch.
set -u
cd "$(dirname "$0")/../.."
out=${1:-${OUT:-probe-results}}
mkdir -p "$out"
export PYTHONUNBUFFERED=1
timeout 250 python3 tools/gpu/steps.py training "$out/steps_training.csv" 2>&1 | tee "$out/training.log" | grep -E '^\{' 
timeout 170 python3 tools/gpu/steps.py inference "$out/steps_inference.csv" 2>&1 | tee "$out/inference.log" | grep -E '^\{'
timeout 100 python3 tools/gpu/steps.py batch "$out/batch.csv" qwen3-8b 2>&1 | tee "$out/batch.log" | grep -E '^\{'
