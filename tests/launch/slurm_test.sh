#!/usr/bin/env bash
# A real Slurm of four nodes with stand-in GPUs on this machine: what `emit slurm` writes can be placed,
# what is too large cannot, and one job runs with a stand-in torchrun that prints what it is given. A sweep
# runs as an array of it.
#   slurm_test.sh LOADFACTOR            needs root, slurmctld, slurmd, slurm-client, munge
set -euo pipefail
program=$1
state=$(mktemp -d)
host=$(hostname -s)
nodes=4
stop() {
  scancel --user=root 2> /dev/null || true
  for file in "$state"/run/*.pid; do if [ -f "$file" ]; then kill "$(cat "$file")" 2> /dev/null || true; fi; done
  sleep 1
  rm -rf "$state"
}
trap stop EXIT
mkdir -p "$state"/{ctld,log,run}
chmod 755 "$state"
for i in 0 1 2 3 4 5 6 7; do mknod "$state/gpu$i" c 1 3 2> /dev/null || touch "$state/gpu$i"; done
for i in $(seq "$nodes"); do mkdir -p "$state/n$i"; done
cat > "$state/slurm.conf" <<CONF
ClusterName=loadfactor
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$state/run/munge.sock
CredType=cred/munge
SlurmctldPort=26817
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/%n
SlurmctldPidFile=$state/run/ctld.pid
SlurmdPidFile=$state/run/slurmd-%n.pid
SlurmctldLogFile=$state/log/ctld.log
SlurmdLogFile=$state/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[27001-$((27000 + nodes))] CPUs=256 Boards=1 SocketsPerBoard=2 CoresPerSocket=128 ThreadsPerCore=1 RealMemory=500000 Gres=gpu:h100:8 State=UNKNOWN
PartitionName=gpu Nodes=ALL Default=YES MaxTime=365-0 State=UP OverSubscribe=NO
CONF
echo "NodeName=n[1-$nodes] Name=gpu Type=h100 File=$state/gpu[0-7]" > "$state/gres.conf"
export SLURM_CONF=$state/slurm.conf
dd if=/dev/urandom of="$state/munge.key" bs=1 count=1024 status=none
chmod 600 "$state/munge.key"
munged --force --key-file="$state/munge.key" --socket="$state/run/munge.sock" --pid-file="$state/run/munged.pid" \
  --log-file="$state/log/munged.log" --seed-file="$state/run/munge.seed"
slurmctld -f "$SLURM_CONF"
for i in $(seq "$nodes"); do slurmd -N "n$i" -f "$SLURM_CONF"; done
for _ in $(seq 100); do
  [ "$(sinfo -h -t idle -o %D | tr -d ' ')" = "$nodes" ] && break
  sleep 0.2
done

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
# A sweep as an array of the same cluster.
python3 "$(dirname "$0")/../sweep/slurm_array_test.py" "$program"
