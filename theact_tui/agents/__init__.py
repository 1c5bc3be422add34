"""The agents: what each one sees, the shape of its reply; templates in `prompts`. `theact_tui.engine.agent_runner` asks them."""
