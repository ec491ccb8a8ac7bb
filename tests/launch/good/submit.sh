sbatch -N 4 --gpus-per-node=h100:4 --export=ALL,SEQUENCE=8192 submitted.sbatch 2
