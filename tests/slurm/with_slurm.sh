#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Slurm of two nodes on this computer while one command runs: usage with_slurm.sh COMMAND [ARGUMENT...]
# All state is in one temporary folder, all processes in a namespace of their own, so that nothing outlives the command.
# Needs root. The command finds the folder in $SLURM_TEST, slurmctld's and each slurmd's process in $SLURM_TEST/*.pid.
set -eu
here=$(dirname "$(realpath "$0")")
for tool in munged mungekey slurmctld slurmd sbatch squeue scontrol unshare; do
  command -v "$tool" >/dev/null || { echo "needs $tool; tools/test_slurm.sh installs it" >&2; exit 1; }
done
if [ -z "${SLURM_TEST:-}" ]; then
  SLURM_TEST=$(mktemp -d /tmp/tsunagi-slurm-XXXXXX)
  export SLURM_TEST
  trap 'rm -rf "$SLURM_TEST"' EXIT
  trap 'exit 1' INT TERM HUP
  code=0
  unshare --mount --pid --fork --kill-child --mount-proc sh "$0" "$@" || code=$?
  exit "$code"
fi

from=$PWD
cd "$SLURM_TEST"
. "$here/wait_until.sh"
mkdir state spool-n1 spool-n2 munge
chmod 755 . munge
mungekey --create --keyfile "$SLURM_TEST/munge/key"
munged --force --key-file="$SLURM_TEST/munge/key" --socket="$SLURM_TEST/munge/socket" \
  --log-file="$SLURM_TEST/munge/log" --pid-file="$SLURM_TEST/munge/pid" --seed-file="$SLURM_TEST/munge/seed" \
  2>munge.log || { cat munge.log >&2; exit 1; }

# Three free ports: several of these may run at a time.
ports=$(python3 -c 'import socket
all = [socket.socket() for _ in range(3)]
for s in all: s.bind(("", 0))
print(*[s.getsockname()[1] for s in all])')
set_ports() { controller=$1; first=$2; second=$3; }
set_ports $ports
host=$(hostname -s)
cat > slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$SLURM_TEST/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$SLURM_TEST/state
SlurmdSpoolDir=$SLURM_TEST/spool-%n
SlurmctldPidFile=$SLURM_TEST/slurmctld.pid
SlurmdPidFile=$SLURM_TEST/slurmd-%n.pid
SlurmctldLogFile=$SLURM_TEST/slurmctld.log
SlurmdLogFile=$SLURM_TEST/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2,requeue_delay=0
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
# A node is down when its daemon has not answered for so long; its jobs are queued again.
SlurmdTimeout=5
SlurmctldTimeout=5
MinJobAge=300
MaxArraySize=${SLURM_TEST_MAX_ARRAY:-1001}
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$first CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$second CPUs=2 State=UNKNOWN
PartitionName=debug Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$SLURM_TEST/slurm.conf"
slurmctld -c
slurmd -c -N n1
slurmd -c -N n2
wait_until 30 "two idle nodes" sh -c '[ "$(sinfo --noheader --Node --states=idle --format=%N | wc -l)" = 2 ]'
cd "$from"
code=0
"$@" || code=$?
[ "$code" = 0 ] || { squeue --array; sinfo --Node; tail -n 20 "$SLURM_TEST/slurmctld.log"; } >&2
exit "$code"
