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
  "$program" emit "$1" "$scenarios/$2" -o "$folder/$1-${2%.yaml}" > /dev/null
}
emit megatron train-llama-70b-512-h100.yaml
emit slurm train-llama-70b-512-h100.yaml
emit kubernetes train-llama-70b-512-h100.yaml
emit vllm support-chat.yaml
emit slurm support-chat.yaml
emit kubernetes support-chat.yaml
emit prometheus-rules support-chat.yaml
emit grafana support-chat.yaml
# A draft model that nobody named is asked for.
"$program" emit vllm "$scenarios/support-chat.yaml" -o "$folder/draft" \
  --set 'serve.deployment={engine: vllm, speculation: {tokens: 3, acceptance: 70 %}}' > /dev/null
if (cd "$folder/draft" && bash serve.sh) 2> "$folder/asked"; then exit 1; fi
grep -q "DRAFT: name the model that proposes tokens" "$folder/asked"
while IFS= read -r script; do
  bash -n "$script"
  if command -v shellcheck > /dev/null; then shellcheck --severity=warning "$script"; fi
  count=$((count + 1))
done < <(find "$folder" -name '*.sh' -o -name '*.sbatch')
[ "$count" -ge 6 ] || { echo "only $count scripts were written" >&2; exit 1; }
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$folder/grafana-support-chat/dashboard.json"

# A batch job ends as its step does, and asks it to stop before its time is over.
job=$folder/slurm-train-llama-70b-512-h100
mkdir "$folder/bin"
cat > "$folder/bin/scontrol" <<'STAND_IN'
#!/bin/sh
[ "$1" = show ] && echo node1 || echo "scontrol $*" >> "$LOG"
STAND_IN
cat > "$folder/bin/scancel" <<'STAND_IN'
#!/bin/sh
echo "scancel $*" >> "$LOG"
kill -TERM "$(cat "$LOG.pid")"
STAND_IN
cat > "$folder/bin/srun" <<'STAND_IN'
#!/bin/bash
[ -n "${FAILS:-}" ] && exit 3
echo $$ > "$LOG.pid"
trap 'exit 0' TERM
while true; do sleep 0.05; done
STAND_IN
chmod +x "$folder"/bin/*
export LOG=$folder/log SLURM_JOB_ID=7 SLURM_JOB_NODELIST=node1 SLURM_JOB_NUM_NODES=1 SLURM_CPUS_PER_TASK=8
status=0
FAILS=1 PATH="$folder/bin:$PATH" bash "$job/job.sbatch" || status=$?
[ "$status" = 3 ] || { echo "a job whose step ends with 3 ends with $status" >&2; exit 1; }
PATH="$folder/bin:$PATH" bash "$job/job.sbatch" &
running=$!
for _ in $(seq 200); do [ -s "$LOG.pid" ] && break; sleep 0.05; done
sleep 0.2
kill -USR1 "$running"
wait "$running" || true
grep -q "^scancel --signal=TERM 7$" "$LOG"
grep -q "^scontrol requeue 7$" "$LOG"
echo "$count scripts are clean"
