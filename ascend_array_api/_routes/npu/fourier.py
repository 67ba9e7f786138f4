"""Fourier transforms on NPUs."""
