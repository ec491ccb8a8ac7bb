#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus-per-node=8
cat > /tmp/run_server.sh <<'EOF'
python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --port $PORT
EOF
export PORT=30000
srun --nodes=2 --ntasks=2 bash /tmp/run_server.sh
