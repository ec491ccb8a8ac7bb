deepspeed --hostfile=nodes.txt --exclude w1:0,1@w3 train.py --model_name_or_path meta-llama/Llama-2-7b-hf --max_seq_length 2048 --per_device_train_batch_size 4
