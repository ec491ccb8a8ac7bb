torchrun --nproc_per_node=8 --nnodes 4 -m torchtitan.train --job.config_file titan-pipeline.toml
