"""Starting a run in several processes, by torchrun or by SLURM."""
