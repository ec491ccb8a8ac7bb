REPLICAS=3; TP=4
kubectl apply -f - <<EOF
apiVersion: apps/v1
kind: Deployment
metadata: {name: vllm}
spec:
  replicas: ${REPLICAS}
  template:
    spec:
      containers:
      - name: vllm
        image: vllm/vllm-openai:v0.11.0
        args: ["--model", "Qwen/Qwen3-32B", "--tensor-parallel-size", "${TP}"]
        resources: {limits: {nvidia.com/gpu: "${TP}"}}
EOF
