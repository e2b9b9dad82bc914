"""What others publish, turned into records: each file maps, and does nothing else."""
