torchrun --nproc-per-node 8 -m torchtitan.train --job.config_file llama3_8b.toml --training.steps 1000 $EXTRA_ARGS
