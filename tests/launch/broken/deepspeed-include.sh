deepspeed --include localhost:0,1,2 train.py --tensor_parallel 2 --per_device_train_batch_size 2 --deepspeed deepspeed-include.json
