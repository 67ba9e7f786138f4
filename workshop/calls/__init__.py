"""Which calls of SciPy and scikit-learn stay on the device, and which do not.

``python -m workshop calls --device npu`` makes a call of each of their functions that take
arrays, in strict and in relaxed mode, compares the results with those of NumPy's arrays, and says
what went to the host.  ``docs/scipy.md`` is the page that it writes.

- ``calls.txt`` lists the calls, and what gives the same on the device;
- ``table`` reads it, and makes what it calls x, y, m and so on;
- ``measure`` makes the calls and classifies what the device did;
- ``page`` writes what came of it.
"""
