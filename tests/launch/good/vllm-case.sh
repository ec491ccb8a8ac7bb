SIZE=8B
case $SIZE in
  8B) M=meta-llama/Llama-3.1-8B-Instruct; TP=1;;
  70B) M=meta-llama/Llama-3.1-70B-Instruct; TP=8;;
esac
PREC=bf16
if [ "$PREC" == "fp8" ]; then
  EXTRA="--kv-cache-dtype fp8"
fi
vllm serve $M --tensor-parallel-size $TP $EXTRA
