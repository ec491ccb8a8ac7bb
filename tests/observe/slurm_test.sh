#!/usr/bin/env bash
# `observe` on a real Slurm with a database of accounts: a job that finished, one that failed, one
# that was queued again and one that runs are told apart, and GPU time goes to each as it was held,
# from what sacct and sinfo print and from Slurm itself.
#   slurm_test.sh LOADFACTOR
set -euo pipefail
program=$1
here=$(dirname "$0")
# shellcheck source=tests/launch/slurm_cluster.sh
source "$here/../launch/slurm_cluster.sh"
# shellcheck source=tests/observe/slurm_jobs.sh
source "$here/slurm_jobs.sh"
start_slurm 4 accounts
run_jobs
has_ended_rows() {
  [ "$(sacct -n -X -P -D -S now-1hour -o State | grep -c COMPLETED)" -ge 2 ]
}
# What ended reaches the database of accounts late on a busy machine.
for _ in 1 2 3 4 5 6 7 8 9; do
  if wait_for has_ended_rows 2> /dev/null; then break; fi
done
has_ended_rows

columns=JobID,User,Account,State,Start,End,AllocTRES,NodeList,JobName
observe() {
  "$program" observe "$@" --step '1 s' --interval '1 s' --price '2 USD/h' --format json
}
TZ=UTC sacct -X -P -D -S now-1hour -o "$columns" > "$state/sacct.txt"
TZ=UTC sacct -n -X -P -D -S now-1hour -o "$columns" > "$state/bare.txt"
sinfo -N -o '%P|%N|%t|%G' > "$state/sinfo.txt"
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
cat "$state/sacct.txt"
for jobs in sacct.txt bare.txt; do
  observe "$state/$jobs" "$state/sinfo.txt" --now "$now" > "$state/answer.json"
  python3 "$here/slurm_truth.py" "$state/sacct.txt" "$now" "$state/answer.json"
done
# As a pipe, which cannot be read twice or mapped.
observe <(cat "$state/sacct.txt") "$state/sinfo.txt" --now "$now" > "$state/piped.json"
python3 "$here/slurm_truth.py" "$state/sacct.txt" "$now" "$state/piped.json"
# The job completion file, and the queue for what runs.
TZ=UTC squeue -t RUNNING -o '%A|%u|%a|%T|%S|%e|%b|%N|%j' > "$state/queue.txt"
cat "$state/log/jobs.txt"
observe "$state/log/jobs.txt" "$state/queue.txt" "$state/sinfo.txt" --now "$now" > "$state/completed.json"
python3 "$here/slurm_truth.py" "$state/log/jobs.txt" "$now" "$state/completed.json" "$state/queue.txt"
# By itself, in whatever zone and format of times its user lives.
TZ=Asia/Tokyo SLURM_TIME_FORMAT=relative observe slurm: --since 120s > "$state/live.json"
python3 "$here/slurm_truth.py" "$state/sacct.txt" live:120 "$state/live.json"
echo "jobs $finished, $failed, $again and $running are told apart"
# Of a window that ends before the first job: every GPU was free.
observe slurm: --since 1h --now "$(date -u -d '1 day ago' +%Y-%m-%dT%H:%M:%SZ)" > "$state/before.json"
python3 - "$state/before.json" <<'CHECK'
import json
import sys
answer = json.load(open(sys.argv[1]))['answer']
free = answer['losses']['unallocated']['value']
print(f'a day ago: {answer["gpus"]} GPUs, {100 * free:.1f} % of the time free')
sys.exit(0 if answer['gpus'] == 32 and free == 1 else 1)
CHECK

# Slurm that does not answer, or is not there.
refused() {
  local words=$1
  shift
  if "$@" > "$state/out.txt" 2>&1; then echo "not refused: $words" >&2 && return 1; fi
  tr '\n' ' ' < "$state/out.txt" | tr -s ' ' | grep -F "$words"
}
refused "no program 'sinfo'" env PATH="$state" "$program" observe slurm:
# Of a file that is not there Slurm waits a minute to see whether it comes.
: > "$state/empty.conf"
refused 'sinfo fails' env SLURM_CONF="$state/empty.conf" "$program" observe slurm:
