"""How each operation is computed, and the routes where torch's own function is not good enough.

An ``Op`` (``_operations``) names an operation and torch's own function for it.  A ``Row``
(``_rows``) says, for some operations, data types and device types, which other route to take, and
why.  ``_faults`` tells of devices that fail.
One module a topic declares its operations, the compositions that serve as routes, and the rows for
what torch lacks or gets wrong on every device: ``elementwise``, ``movement``, ``reductions``,
``linear_algebra`` and so on.  What one device type alone needs is in its backend.
"""
