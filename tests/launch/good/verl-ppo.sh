ray job submit --address http://127.0.0.1:8265 -- python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae \
  data.train_batch_size=256 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \
  actor_rollout_ref.actor.strategy=megatron actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4 \
  critic.model.path=meta-llama/Llama-3.2-1B reward_model.enable=True reward_model.model.path=Qwen/Qwen2.5-7B-Instruct trainer.nnodes=1
