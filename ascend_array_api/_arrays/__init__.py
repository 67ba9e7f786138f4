"""The array object, and what can be said of arrays before anything is computed.

``array`` has the class; ``axes``, ``promotion`` and ``scalars`` bring arguments to one form;
``memory`` knows which tensors share elements; ``synchronize`` waits for devices.  Imports no
function of the standard.
"""
