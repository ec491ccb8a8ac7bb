#!/usr/bin/env bash
# Every script that `emit` writes passes bash -n and, where it is installed, shellcheck.
#   scripts_test.sh LOADFACTOR SCENARIOS
set -euo pipefail
program=$1
scenarios=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=0
emit() {
  "$program" emit "$1" "$scenarios/$2" -o "$folder/$1-$2" > /dev/null
}
emit megatron train-llama-70b-512-h100.yaml
emit slurm train-llama-70b-512-h100.yaml
emit kubernetes train-llama-70b-512-h100.yaml
emit vllm support-chat.yaml
emit slurm support-chat.yaml
emit kubernetes support-chat.yaml
emit prometheus-rules support-chat.yaml
emit grafana support-chat.yaml
while IFS= read -r script; do
  bash -n "$script"
  if command -v shellcheck > /dev/null; then shellcheck --severity=warning "$script"; fi
  count=$((count + 1))
done < <(find "$folder" -name '*.sh' -o -name '*.sbatch')
[ "$count" -ge 6 ] || { echo "only $count scripts were written" >&2; exit 1; }
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$folder/grafana-support-chat.yaml/dashboard.json"
echo "$count scripts are clean"
