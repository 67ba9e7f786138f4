"""Special functions on a mesh: each part by itself."""

from __future__ import annotations

from typing import Final

from ..._routes import beta, integrals, inverses, special
from .elementwise import names_in, on_parts

ROWS: Final = on_parts(*sorted(names_in(beta, integrals, inverses, special)))
