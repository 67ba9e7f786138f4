"""From a call on arrays to a call on tensors, for all functions of the standard.

``operands`` checks, converts and promotes; ``interchange`` makes arrays of other objects;
``elementwise`` makes functions of operations; ``plainest`` inlines the plainest calls of a
function; ``traces`` has what ``torch.compile`` traces for them.  Imports no chapter.
"""
