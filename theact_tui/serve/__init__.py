"""The app in browsers, for visitors with a link. The app runs as a program of its own; nothing here imports it."""
