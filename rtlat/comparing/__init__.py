"""Runs against runs: what may be compared, by how much they differ, and what follows."""
