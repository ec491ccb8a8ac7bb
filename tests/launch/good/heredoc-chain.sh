cat > deploy.yaml <<EOF && kubectl apply -f deploy.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: vllm}
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: vllm
        image: vllm/vllm-openai:latest
        args: ["--model", "Qwen/Qwen3-8B", "--tensor-parallel-size", "2"]
        resources: {limits: {nvidia.com/gpu: 2}}
EOF
