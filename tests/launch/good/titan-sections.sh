torchrun --nproc_per_node=8 --nnodes 32 -m torchtitan.train --job.config_file titan-sections.toml
