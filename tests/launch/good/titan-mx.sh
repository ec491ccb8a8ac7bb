torchrun --nproc-per-node 8 -m torchtitan.train --job.config_file titan-float8.toml --model.converters quantize.linear.mx
