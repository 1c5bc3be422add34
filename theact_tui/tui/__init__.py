"""The app on screen. It holds no rule of a story: everything shown comes as events or values."""
