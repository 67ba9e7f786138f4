"""Indexing on NPUs."""
