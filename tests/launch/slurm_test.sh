#!/usr/bin/env bash
# A real Slurm of four nodes with stand-in GPUs on this machine: what `emit slurm` writes can be placed,
# what is too large cannot, and one job runs with a stand-in torchrun that prints what it is given. A sweep
# runs as an array of it.
#   slurm_test.sh LOADFACTOR            needs root, slurmctld, slurmd, slurm-client, munge
set -euo pipefail
program=$1
# shellcheck source=tests/launch/slurm_cluster.sh
source "$(dirname "$0")/slurm_cluster.sh"
start_slurm 4

scenario() {
  cat > "$state/case.yaml" <<YAML
loadfactor: 1
name: slurm-case
train:
  model: llama-3.1-8b
  precision: bf16
  tokens: 1 B
  sequence: 4096
  global_batch: 64
  layout: {gpus: $1, tp: 2, pp: 1, dp: $(($1 / 2)), zero: 1, micro_batch: 1, recompute: selective}
  stack: {framework: megatron-core-2026}
hardware: [h100-sxm]
YAML
  rm -rf "$state/job"
  "$program" emit slurm "$state/case.yaml" -o "$state/job" > /dev/null
}
scenario 32
(cd "$state/job" && sbatch --test-only job.sbatch)
scenario 64
if (cd "$state/job" && sbatch --test-only job.sbatch 2> /dev/null); then
  echo "eight nodes of four can be placed" >&2
  exit 1
fi
scenario 8
mkdir "$state/bin"
printf '#!/bin/sh\necho "torchrun $*"\necho "master $MASTER_ADDR nodes $NNODES gpus $SLURM_GPUS_ON_NODE"\n' > "$state/bin/torchrun"
chmod +x "$state/bin/torchrun"
(cd "$state/job" && PATH="$state/bin:$PATH" timeout 60 sbatch --wait --output="$state/out.txt" job.sbatch)
grep -q -- '--tensor-model-parallel-size 2' "$state/out.txt"
grep -q 'nodes 1 gpus 8' "$state/out.txt"
cat "$state/out.txt"
# A service of two replicas can be placed as well.
cat > "$state/case.yaml" <<YAML
loadfactor: 1
name: slurm-service
serve:
  model: llama-3.3-70b
  precision: fp8
  demand: {requests_per_month: 2 M, tokens_in: 1500, tokens_out: 300}
  deployment: {engine: vllm, tp: 4, replicas: 2}
hardware: [h100-sxm]
YAML
"$program" emit slurm "$state/case.yaml" -o "$state/service" > /dev/null
(cd "$state/service" && sbatch --test-only serve.sbatch)
# A sweep as an array of the same cluster.
python3 "$(dirname "$0")/../sweep/slurm_array_test.py" "$program"
