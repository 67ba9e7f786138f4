"""The operations of linear algebra, and what torch's own functions for them lack or get wrong."""

from __future__ import annotations
