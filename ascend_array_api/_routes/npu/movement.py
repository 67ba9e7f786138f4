"""Moving data on NPUs."""
