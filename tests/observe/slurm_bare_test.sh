#!/usr/bin/env bash
# `observe` on a real Slurm that keeps no accounts: what runs now is told, and that the past is not.
#   slurm_bare_test.sh LOADFACTOR
set -euo pipefail
program=$1
here=$(dirname "$0")
# shellcheck source=tests/launch/slurm_cluster.sh
source "$here/../launch/slurm_cluster.sh"
# shellcheck source=tests/observe/slurm_jobs.sh
source "$here/slurm_jobs.sh"
start_slurm 4
finished=$(submit -J finished --gres=gpu:8 --wrap 'sleep 1')
running=$(submit -J 'run|ning' --gres=gpu:h100:2 --wrap 'sleep 600')
wait_for is_in "$running" RUNNING
wait_for have_ended "$finished"
words_of() {
  tr '\n' ' ' < "$1" | tr -s ' '
}
"$program" observe slurm: --price '2 USD/h' --format json > "$state/answer.json"
python3 - "$state/answer.json" <<'CHECK'
import json
import sys
answer = json.load(open(sys.argv[1]))['answer']
held = 1 - answer['losses']['unallocated']['value']
print(f'{answer["gpus"]} GPUs, {32 * held:.2f} of them held')
sys.exit(0 if answer['gpus'] == 32 and abs(held - 2 / 32) < 0.01 else 1)
CHECK
"$program" observe slurm: --price '2 USD/h' > "$state/text.txt"
words_of "$state/text.txt" | grep -o 'squeue and sinfo tell of the present alone: what ran before is not seen'
# What runs now says nothing of another time.
if "$program" observe slurm: --now 2025-06-01T00:00:00Z 2> "$state/past.txt"; then exit 1; fi
words_of "$state/past.txt" | grep -o 'squeue tells of the present alone: what ran up to 2025-06-01'
# Without slurmdbd no GPUs stand in the job completion file.
wait_for test -s "$state/log/jobs.txt"
if "$program" observe "$state/log/jobs.txt" 2> "$state/refused.txt"; then exit 1; fi
words_of "$state/refused.txt" | grep -o 'no job of this file says how many GPUs it held'
echo "jobs $finished and $running are told apart without accounts"
