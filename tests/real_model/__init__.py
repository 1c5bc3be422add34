"""The whole program with a real model behind it: run by hand, `python -m tests.real_model.run --base-url URL`."""
