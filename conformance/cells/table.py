"""The cells: the functions of the standard, each with the data types that it takes.

``cells.csv`` has one row for each name: the 226 of the versions 2023.12, 2024.12 and 2025.12 of the
standard, 13 in-place operators, and 13 random functions that the standard leaves out and array
programs need.  A row names the data types as the standard does ("numeric", "real"); a name that
computes nothing ("metadata": ``x.shape``, ``finfo``, ``pi``) counts once for each of the 13.

The last column says for which of them a call of the same function of torch has no kernel in
torch_npu 2.13.0, is refused by CANN's documents for Atlas A2, or has the wrong data type.  It was
taken from the documents, kernel lists and sources of both, not by this measurement.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("cells.csv")

DTYPES: Final = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
KINDS: Final = {
    "metadata": DTYPES,
    "all": DTYPES,
    "numeric": DTYPES[1:],
    "real": DTYPES[1:11],
    "integer": DTYPES[1:9],
    "integer_or_bool": DTYPES[:9],
    "floating": DTYPES[9:],
    "real_floating": DTYPES[9:11],
    "complex": DTYPES[11:],
    "bool": DTYPES[:1],
}
_PREFIXES: Final = {"array_object": "Array.", "array_object_in_place": "Array."} | {
    chapter: f"{chapter}." for chapter in ("linalg", "fft")
}


@dataclass(frozen=True)
class Name:
    """A name of the standard."""

    chapter: str
    name: str
    since: str
    """The version of the standard that has it first; empty for what no version has."""
    dtypes: tuple[str, ...]
    is_metadata: bool
    lacking: frozenset[str]
    """The data types for which plain torch_npu has no right answer on the device."""

    @property
    def key(self) -> str:
        """The name as one writes it: ``linalg.inv``, ``Array.__add__``."""
        return _PREFIXES.get(self.chapter, "") + self.name


@functools.cache
def names() -> tuple[Name, ...]:
    """Return all names, chapter by chapter."""
    with FILE.open(newline="") as file:
        return tuple(
            Name(
                row["chapter"],
                row["name"],
                row["since"],
                KINDS.get(row["dtypes"]) or tuple(row["dtypes"].split()),
                row["dtypes"] == "metadata",
                frozenset(row["plain_torch_npu_lacks"].split()),
            )
            for row in csv.DictReader(file)
        )
