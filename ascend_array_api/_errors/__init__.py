"""Errors and their texts: ``exceptions``, and calls and names of NumPy and torch.

``foreign_calls`` says what a call with other arguments should be, ``foreign_names`` what to write
instead of a name that the standard lacks.  Knows nothing of devices and arrays.
"""
