"""The coefficients of elementary functions on NPUs: ``python -m tools.elementary_functions``."""
