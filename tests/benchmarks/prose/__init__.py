"""Pages and replies of real models, counted for slips: see README.md."""
