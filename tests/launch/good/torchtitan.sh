torchrun --nproc_per_node=8 --nnodes=2 -m torchtitan.train --module llama3 --config llama3_8b --parallelism.tensor-parallel-degree 2 --training.max_context_length 4096
