"""Devices: ``device`` has their names and specs, ``backend`` the class of all backends.

``backends`` finds the backend of a device type, and ``facts`` knows versions and processors.
Knows nothing of operations and arrays.
"""
