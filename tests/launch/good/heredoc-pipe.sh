TP=2
cat <<EOF | envsubst | kubectl apply -f -
apiVersion: v1
kind: Pod
metadata: {name: vllm}
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:latest
    args: ["--model", "Qwen/Qwen3-8B", "--tensor-parallel-size", "$TP"]
    resources: {limits: {nvidia.com/gpu: $TP}}
EOF
