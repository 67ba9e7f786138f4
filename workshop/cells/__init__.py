"""Which functions of the standard are computed where, for which data type.

``python -m workshop cells --device npu`` calls each function of the standard for each data type
that it takes, compares the results with those of the CPU and of NumPy, and says where they were
computed.  ``docs/npu-support.md`` is the page that it writes.

- ``table`` lists the functions of ``workshop/samples`` that count, and their data types;
- ``measure`` makes the calls of the samples and classifies what the device did;
- ``page`` and ``picture`` write what came of it.
"""
