"""A pytest plugin: Hypothesis's tests of its strategies for arrays draw those of the namespace."""

from __future__ import annotations

import os

from . import chosen

_NAMESPACE = chosen.namespace()

# Their conftest.py imports the namespace by this name, before it makes the strategies.
os.environ["HYPOTHESIS_TEST_ARRAY_API"] = (
    _NAMESPACE.__spec__.name if _NAMESPACE.__spec__ else _NAMESPACE.__name__
)
