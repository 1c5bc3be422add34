"""The agents: what each one sees and the shape of its reply; templates in `prompts`. `engine/agent_runner.py` asks them."""
