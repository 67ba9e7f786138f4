"""Reductions on NPUs."""
