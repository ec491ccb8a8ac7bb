#!/usr/bin/env bash
# A real Slurm on this machine with stand-in GPUs: source it, then start_slurm NODES, with a database
# of accounts where `start_slurm NODES accounts` asks for one. Needs root. Sets $state, the folder
# that everything lives in; all of it ends with the script.
#   packages: slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge; accounts: slurmdbd
#   mariadb-server
state=$(mktemp -d)

stop_slurm() {
  scancel --user=root 2> /dev/null || true
  for file in "$state"/run/*.pid "$state"/database/run/*.pid; do
    if [ -f "$file" ]; then kill "$(cat "$file")" 2> /dev/null || true; fi
  done
  sleep 1
  rm -rf "$state"
}
trap stop_slurm EXIT

# Tries a command until it succeeds, for half a minute.
wait_for() {
  for _ in $(seq 150); do
    if "$@" > /dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  echo "does not come: $*" >&2
  return 1
}

start_munge() {
  dd if=/dev/urandom of="$state/munge.key" bs=1 count=1024 status=none
  chmod 600 "$state/munge.key"
  munged --force --key-file="$state/munge.key" --socket="$state/run/munge.sock" \
    --pid-file="$state/run/munged.pid" --log-file="$state/log/munged.log" \
    --seed-file="$state/run/munge.seed"
}

# MariaDB with a folder of its own, and slurmdbd before it.
start_accounts() {
  local base=$state/database
  mkdir -p "$base/run"
  chown mysql "$base" "$base/run"
  mariadb-install-db --no-defaults --force --user=mysql --datadir="$base/data" \
    --auth-root-authentication-method=normal --skip-test-db > "$state/log/database.log" 2>&1
  mariadbd --no-defaults --user=mysql --datadir="$base/data" --socket="$base/run/mysql.sock" \
    --pid-file="$base/run/mariadb.pid" --port=23306 --bind-address=127.0.0.1 \
    --innodb-buffer-pool-size=64M --innodb-lock-wait-timeout=900 >> "$state/log/database.log" 2>&1 &
  local client=(--no-defaults --user=root --socket="$base/run/mysql.sock")
  wait_for mariadb-admin "${client[@]}" ping
  mariadb "${client[@]}" -e "create database slurm_acct_db; create user 'slurm'@'127.0.0.1'
    identified by 'local'; grant all on slurm_acct_db.* to 'slurm'@'127.0.0.1';"
  cat > "$state/slurmdbd.conf" <<CONF
AuthType=auth/munge
AuthInfo=socket=$state/run/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=26819
SlurmUser=root
LogFile=$state/log/slurmdbd.log
PidFile=$state/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=23306
StorageUser=slurm
StoragePass=local
StorageLoc=slurm_acct_db
CONF
  chmod 600 "$state/slurmdbd.conf"
  slurmdbd
  wait_for sacctmgr -n list cluster
  sacctmgr -i add cluster loadfactor > /dev/null
}

write_slurm_conf() {
  local nodes=$1 accounts=${2:-} host
  host=$(hostname -s)
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
JobCompType=jobcomp/filetxt
JobCompLoc=$state/log/jobs.txt
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
GresTypes=gpu
${accounts:+AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=26819
AccountingStoragePass=$state/run/munge.sock
AccountingStorageTRES=gres/gpu}
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[27001-$((27000 + nodes))] CPUs=256 Boards=1 SocketsPerBoard=2 CoresPerSocket=128 ThreadsPerCore=1 RealMemory=2000000 Gres=gpu:h100:8 State=UNKNOWN
PartitionName=gpu Nodes=ALL Default=YES MaxTime=365-0 State=UP OverSubscribe=NO
CONF
  echo "NodeName=n[1-$nodes] Name=gpu Type=h100 File=$state/gpu[0-7]" > "$state/gres.conf"
}

all_idle() {
  [ "$(sinfo -h -t idle -o %D | tr -d ' ')" = "$1" ]
}

start_slurm() {
  local nodes=$1 accounts=${2:-}
  mkdir -p "$state"/{ctld,log,run}
  chmod 755 "$state"
  for i in 0 1 2 3 4 5 6 7; do mknod "$state/gpu$i" c 1 3 2> /dev/null || touch "$state/gpu$i"; done
  for i in $(seq "$nodes"); do mkdir -p "$state/n$i"; done
  write_slurm_conf "$nodes" "$accounts"
  export SLURM_CONF=$state/slurm.conf
  start_munge
  if [ -n "$accounts" ]; then start_accounts; fi
  slurmctld -f "$SLURM_CONF"
  for i in $(seq "$nodes"); do slurmd -N "n$i" -f "$SLURM_CONF"; done
  wait_for all_idle "$nodes"
}
