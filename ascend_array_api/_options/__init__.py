"""Options, the default device and data types, and relaxed mode: the choices of users.

Knows nothing of arrays.
"""
