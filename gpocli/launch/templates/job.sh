#!/bin/bash
# A run of gpo. Submit it with sbatch from the folder that its paths start in, on a disk that all nodes share.
{head}

python={python}
run={run}

# Where the processes of the run meet: the first node, a port by the number of the job.
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
export MASTER_ADDR MASTER_PORT PYTHONUNBUFFERED=1
export OMP_NUM_THREADS="${{OMP_NUM_THREADS:-${{SLURM_CPUS_PER_TASK:-1}}}}"
if [[ -n ${{SLURM_CPUS_PER_TASK:-}} ]]; then export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK; fi
{server}
# A job that SLURM runs again goes on where the run stopped; exit code 75 asks for that.
arguments=({train} --out "$run" --requeue)
if [[ ${{SLURM_RESTART_COUNT:-0}} -gt 0 && -e $run/spec.yaml ]]; then
  arguments=({resume} --resume --out "$run" --requeue)
fi

# SLURM starts, numbers and ends the processes, {processes} a node, so signals and exit codes arrive as they are.
# shellcheck disable=SC2016
task='RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS exec "$@"'
LOCAL_WORLD_SIZE={processes} srun --nodes={nodes} --ntasks={tasks} --ntasks-per-node={processes}{place} \
  --kill-on-bad-exit=0 --wait=600 bash -c "$task" gpo "$python" -m gpocli train "${{arguments[@]}}"{on_server} &
step=$!

# The shell alone is told before the limit. A trap ends its wait, so it waits again until nothing was told.
trap 'told=USR1; kill -s USR1 "$step" 2>/dev/null' USR1
trap 'told=TERM; kill -s TERM "$step" 2>/dev/null' TERM
told=first
while [[ -n $told ]]; do
  told=
  wait "$step"
  code=$?
done
{end_server}
# A job that somebody cancelled does not run any more for SLURM, and stays ended.
state=$(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%T)
if [[ $code -eq 75 && $state == RUNNING ]]; then
  trap '' TERM
  echo "the run was stopped and is saved; the job goes back into the queue"
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
