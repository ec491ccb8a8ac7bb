# prefill
python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3-0324 --disaggregation-mode prefill --disaggregation-ib-device mlx5_0 \
  --host $PREFILL_HOST --port 30000 --trust-remote-code --dist-init-addr 10.0.0.1:5757 --nnodes 2 --node-rank 0 --tp-size 16 --dp-size 16 \
  --enable-dp-attention --moe-a2a-backend deepep --mem-fraction-static 0.8 --chunked-prefill-size 32768 --max-running-requests 1024 &
# decode
python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3-0324 --disaggregation-mode decode --port 30001 --trust-remote-code \
  --dist-init-addr 10.0.0.3:5757 --nnodes 4 --node-rank 0 --tp-size 32 --dp-size 32 --enable-dp-attention --ep-size 32 --moe-a2a-backend deepep \
  --mem-fraction-static 0.835 --max-running-requests 2048 --cuda-graph-bs 128 &
python -m sglang_router.launch_router --pd-disaggregation --prefill http://10.0.0.1:30000 --decode http://10.0.0.3:30001
