#!/bin/bash
#SBATCH --nodes=4
#SBATCH --exclusive
export NEURON_CC_FLAGS="--model-type=transformer --distribution-strategy=llm-training"
export PROCESSES_PER_NODE=32
MASTER_ADDR=$(scontrol show hostnames "$SLURM_NODELIST" | head -n 1)
DISTRIBUTED_ARGS="--nproc_per_node $PROCESSES_PER_NODE --nnodes $SLURM_NNODES --node_rank $SLURM_NODEID --master_addr $MASTER_ADDR --master_port 41000"
torchrun $DISTRIBUTED_ARGS training.py --config-path=conf --config-name=hf_llama3_8B_config trainer.devices=$PROCESSES_PER_NODE trainer.num_nodes=$SLURM_NNODES exp_manager.explicit_log_dir=$LOG_DIR
