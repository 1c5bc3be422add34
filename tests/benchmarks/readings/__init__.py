"""Evenings told by hand, read by somebody who does not know how they were made."""
