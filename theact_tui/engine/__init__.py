"""Run turns and publish their events, without a screen."""
