"""GFPO and GMPO on TRL's `GRPOTrainer`: the only folder that imports TRL's trainers."""
