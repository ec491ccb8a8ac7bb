mpirun -np many python train.py
