"""Samples: calls of the functions, with what is expected of them, a file a chapter."""
