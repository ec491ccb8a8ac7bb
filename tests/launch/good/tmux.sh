tmux new-session -d -s vllm 'vllm serve Qwen/Qwen3-8B -tp 2 --port 8000'
tmux new-session -d -s vllm2 'vllm serve Qwen/Qwen3-8B -tp 2 --port 8001'
