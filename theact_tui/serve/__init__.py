"""The app in browsers. It runs as a program of its own; nothing here imports it."""
