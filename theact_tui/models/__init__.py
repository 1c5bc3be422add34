"""What answers a prompt: an endpoint or the offline storyteller, and how its replies are read."""
