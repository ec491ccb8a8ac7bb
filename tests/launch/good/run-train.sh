NGPU=8 CONFIG_FILE=./tt.toml ./run_train.sh --training.local_batch_size 4 --parallelism.tensor_parallel_degree=4
