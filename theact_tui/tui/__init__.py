"""The app on the screen: a face of the engine. It holds no rule of a story; all it shows comes as events or values."""
