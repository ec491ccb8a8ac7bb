#!/bin/bash
export NEURON_LOGICAL_NC_CONFIG=2
torchrun --nnodes 8 --nproc_per_node 64 --master_addr $HEAD --master_port 41000 \
  training_orchestrator.py --config-path=conf --config-name=neuronx-llama data.micro_batch_size=2
