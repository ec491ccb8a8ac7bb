torchrun --nproc_per_node=8 --nnodes=2 -m torchtitan.train --parallelism.tensor_parallel_degree two
