"""What users choose: options, the default device and data types, relaxed mode.

Knows nothing of arrays.
"""
