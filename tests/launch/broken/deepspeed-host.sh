deepspeed --hostfile=nodes.txt --include w1@w4 train.py --model_name_or_path meta-llama/Llama-2-7b-hf --max_seq_length 2048
