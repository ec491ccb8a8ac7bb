deepspeed --num_nodes 4 --num_gpus=8 train.py --deepspeed --deepspeed_config ds.json
