FORCE_TORCHRUN=1 NNODES=2 llamafactory-cli train train_lora.yaml
