# Jobs for a real Slurm: source it after slurm_cluster.sh, then run_jobs. One finishes, one fails, one
# is queued again and finishes, one runs on; their names hold what separates columns.
submit() {
  sbatch --parsable --output=/dev/null "$@"
}
is_in() {
  [ "$(squeue -h -j "$1" -o %T)" = "$2" ]
}
have_ended() {
  [ -z "$(squeue -h -j "$1" -o %T 2> /dev/null)" ]
}

# Sets $finished, $failed, $again and $running, the numbers of the jobs.
run_jobs() {
  finished=$(submit -J 'fin|ished: gres/gpu=64' --gres=gpu:8 --wrap 'sleep 12')
  failed=$(submit -J 'failed JobState=COMPLETED' --gres=gpu:4 --wrap 'sleep 6; exit 7')
  again=$(submit -J again --requeue --gres=gpu:8 --wrap 'sleep 8')
  wait_for is_in "$again" RUNNING
  sleep 4
  scontrol requeue "$again"
  running=$(submit -J running --gres=gpu:2 --wrap 'sleep 600')
  wait_for is_in "$running" RUNNING
  # A job that was queued again waits two minutes by itself; its hold is lifted.
  scontrol update jobid="$again" starttime=now 2> /dev/null || true
  for _ in $(seq 300); do
    if have_ended "$finished,$failed,$again"; then return 0; fi
    sleep 1
  done
  echo "jobs do not end" >&2
  return 1
}
