export LF_MICRO_BATCH=4 LF_GLOBAL_BATCH=256
mpirun -np 16 --hostfile hosts python train.py
