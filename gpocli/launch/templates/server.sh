
# The vLLM server has the last node; weights reach it by NCCL, or by a folder that both nodes see.
server_host=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | tail -n 1)
weights=$(realpath --canonicalize-missing "$run")-weights
mkdir -p "$weights"
place=(--exclude="$server_host")
on_server=(--set "sampling.vllm.url=http://$server_host:8000" --set sampling.vllm.start=false
  --set "sampling.vllm.folder=$weights")
srun --nodes=1 --ntasks=1 --nodelist="$server_host" \
  "$python" -m gpocli serve {serve} "${{on_server[@]}}" --vllm=--tensor-parallel-size={gpus} &
server=$!
