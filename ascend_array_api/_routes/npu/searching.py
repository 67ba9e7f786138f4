"""Searching, sorting and sets on NPUs."""
