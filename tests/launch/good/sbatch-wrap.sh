sbatch -N 1 --gpus-per-node=8 -J serve --wrap="vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size 8 --max-num-seqs 256"
