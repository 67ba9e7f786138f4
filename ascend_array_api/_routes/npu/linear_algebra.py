"""Linear algebra on NPUs."""
