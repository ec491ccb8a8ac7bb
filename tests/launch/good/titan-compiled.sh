torchrun --nproc-per-node 8 -m torchtitan.train --config llama3_8b --compile.enable --parallelism.data_parallel_shard_degree 8
