#!/usr/bin/env bash
# `observe` on a real Slurm with a database of accounts: a job that finished, one that failed, one
# that was queued again and one that runs are told apart, and GPU time goes to each as it was held.
#   slurm_test.sh LOADFACTOR
set -euo pipefail
program=$1
# shellcheck source=tests/launch/slurm_cluster.sh
source "$(dirname "$0")/../launch/slurm_cluster.sh"
start_slurm 4 accounts

submit() {
  sbatch --parsable --output=/dev/null "$@"
}
is_in() {
  [ "$(squeue -h -j "$1" -o %T)" = "$2" ]
}
has_rows() {
  [ "$(sacct -n -X -P -D -S now-1hour -o State | grep -c "$1")" -ge "$2" ]
}
finished=$(submit -J finished --gres=gpu:8 --wrap 'sleep 12')
failed=$(submit -J failed --gres=gpu:4 --wrap 'sleep 6; exit 7')
again=$(submit -J again --requeue --gres=gpu:8 --wrap 'sleep 8')
wait_for is_in "$again" RUNNING
sleep 4
scontrol requeue "$again"
running=$(submit -J running --gres=gpu:2 --wrap 'sleep 600')
wait_for is_in "$running" RUNNING
# A job that was queued again waits two minutes by itself; its hold is lifted.
scontrol update jobid="$again" starttime=now 2> /dev/null || true
for _ in $(seq 300); do
  if has_rows COMPLETED 2; then break; fi
  sleep 1
done
columns=JobID,JobName,User,Account,State,Start,End,AllocTRES,NodeList
TZ=UTC sacct -X -P -D -S now-1hour -o "$columns" > "$state/sacct.txt"
TZ=UTC sacct -n -X -P -D -S now-1hour -o "$columns" > "$state/bare.txt"
sinfo -N -o '%P|%N|%t|%G' > "$state/sinfo.txt"
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
cat "$state/sacct.txt"
for jobs in sacct.txt bare.txt; do
  "$program" observe "$state/$jobs" "$state/sinfo.txt" --now "$now" --step '1 s' --interval '1 s' --price '2 USD/h' \
    --format json > "$state/answer.json"
  python3 "$(dirname "$0")/slurm_truth.py" "$state/sacct.txt" "$now" "$state/answer.json"
done
# As a pipe, which cannot be read twice or mapped.
"$program" observe <(cat "$state/sacct.txt") "$state/sinfo.txt" --now "$now" --step '1 s' --interval '1 s' \
  --price '2 USD/h' --format json > "$state/piped.json"
python3 "$(dirname "$0")/slurm_truth.py" "$state/sacct.txt" "$now" "$state/piped.json"
echo "jobs $finished, $failed, $again and $running are told apart"
