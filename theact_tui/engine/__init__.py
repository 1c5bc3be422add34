"""How a turn happens, and the events that tell of it. Knows no screen."""
