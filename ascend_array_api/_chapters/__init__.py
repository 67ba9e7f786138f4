"""The functions of the standard, one module for each of its chapters.

https://data-apis.org/array-api/2023.12/API_specification/index.html

The chapters ``indexing`` and the operators are in ``_methods``, the extensions in the public
folders ``fft`` and ``linalg``.  No module names a device type.
"""
