torchrun --nproc-per-node 8 -m torchtitan.train --config llama3_8b --training.max_context_length 8192 --parallelism.data_parallel_shard_degree 8
