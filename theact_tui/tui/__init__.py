"""The app on screen. It holds no rule of a story."""
