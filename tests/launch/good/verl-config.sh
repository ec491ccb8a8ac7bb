python3 -m verl.trainer.main_ppo --config-path=conf --config-name=verl data.train_batch_size=512
