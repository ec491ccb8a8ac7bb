accelerate launch --config_file=accelerate-over.yaml --num_machines=4 --num_processes=32 --machine_rank=$SLURM_PROCID --main_process_ip $MASTER \
  --main_process_port 29500 --mixed_precision=bf16 sft.py --config accelerate-recipe.yaml --gradient_accumulation_steps 8
