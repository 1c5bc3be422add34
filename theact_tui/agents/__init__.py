"""The agents: what each one sees and the shape of its reply; templates in `prompts`. The engine's `agent_runner` asks them."""
