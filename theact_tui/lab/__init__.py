"""The lab: games played by players without hands, measured and compared. Its libraries come with the extra `lab`."""
