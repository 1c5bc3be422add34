"""The agents: what each one sees, its template, the shape of its reply. One file each; templates in `prompts`.

An agent is a value, not a process: `theact_tui.engine.desk` puts its question to a model.
"""
