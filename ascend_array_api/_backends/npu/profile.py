"""Rows from a profile of the machine itself, for NPUs that no report covers.

``python -m conformance hardware --profile FILE`` writes a profile, and the environment variable
``ASCEND_ARRAY_API_NPU_PROFILE`` names it.  The profile lists operations to compute on the host,
because a kernel refuses a data type that it takes on Atlas A2, or returns wrong integers.  It
removes no row: a kernel that accepts a data type need not be correct.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..._devices.facts import Facts, version
from ..._routes._evidence import Evidence
from ..._routes._rows import Host, Row
from ..._torch import dtypes as dt
from . import BACKEND, emulated

VARIABLE: Final = "ASCEND_ARRAY_API_NPU_PROFILE"
SCHEMA: Final = "ascend-array-api/npu-profile"
SCHEMA_VERSION: Final = 1


class Profile(NamedTuple):
    """A profile read from a file."""

    path: str
    machine: tuple[Any, ...]
    """The chip, the versions of CANN and torch_npu, and whether CANN was emulated."""
    rows: tuple[Row, ...]

    def fits(self, facts: Facts) -> bool:
        """Say whether it describes this machine; old torch_npu does not know CANN's version."""
        here = (facts["soc"], facts["cann"] or self.machine[1], facts["torch_npu"], emulated())
        return self.machine == here

    def __str__(self) -> str:
        soc, cann, torch_npu, is_emulated = self.machine
        dotted = (".".join(map(str, numbers or ("unknown",))) for numbers in (cann, torch_npu))
        said = "{}, CANN {}, torch_npu {}".format(soc, *dotted)
        return f"{said} (emulated)" if is_emulated else said


def read(path: str) -> Profile:
    """Read a profile; raise ValueError if the file is none."""
    try:
        return _profile(path, json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        said = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{VARIABLE}={path}: this is no profile of NPUs: {said}") from error


def _profile(path: str, found: Mapping[str, Any]) -> Profile:
    if (found["schema"], found["schema_version"]) != (SCHEMA, SCHEMA_VERSION):
        raise ValueError(f"it is not of the schema {SCHEMA}, version {SCHEMA_VERSION}")
    facts = found["facts"]
    versions = (version(facts["cann"]), version(facts["torch_npu"]))
    profile = Profile(path, (facts["soc"], *versions, bool(facts["emulated"])), ())
    return profile._replace(rows=tuple(_row(entry, str(profile)) for entry in found["rows"]))


def _row(entry: Mapping[str, str], seen: str) -> Row:
    kernel, dtype = entry["kernel"], dt.BY_NAME[entry["dtype"]]
    refuses = entry["why"] == "refused"
    said = "does not take this data type" if refuses else "gives wrong integers"
    evidence = Evidence(seen, "refused" if refuses else "wrong", (kernel,))
    reason = f"{kernel} {said} on this machine, as its profile says"
    return Row(entry["operation"], {dtype}, Host(), reason, evidence)


def _rows() -> tuple[Row, ...]:
    path = os.environ.get(VARIABLE)
    if not path:
        return ()
    profile = read(path)
    if not profile.fits(BACKEND.facts):
        warnings.warn(
            f"{VARIABLE}={path}: this profile is of {profile}, and not of this machine: it says "
            "nothing here",
            UserWarning,
            stacklevel=2,
        )
        return ()
    return profile.rows


ROWS: Final = _rows()
