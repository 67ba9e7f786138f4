"""Findings of the doctor: problems and notes, and the answers of functions that may fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from .._backends.npu import causes

T = TypeVar("T")

_REMEDIES: Final = {
    "cuda": "check with nvidia-smi that the driver works and is new enough for this build of torch",
    "npu": causes.LOGS,
}
_REPORT: Final = (
    "report it, with this whole report: https://github.com/ascend-array-api/ascend-array-api/issues"
)


def explain(error: Exception, device_type: str | None = None) -> tuple[str, str | None]:
    """Return the reason of an error, and the remedy if its cause is known."""
    said = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    if isinstance(error, PermissionError):
        return said, "let this user read the file that the reason names"
    if device_type == "npu":
        cause = causes.explain(str(error))
        if cause.reason:
            return f"{cause.reason}. {said}", cause.remedy
    return said, None


def problem(what: str, reason: str, remedy: str) -> dict[str, str]:
    """Return a problem, or a note, in the form of the report."""
    return {"what": what, "reason": reason, "remedy": remedy}


class Findings:
    """The problems, each with what is wrong, its reason and its remedy; and notes of that form.

    A problem keeps something installed from being used.  A note tells what may surprise later.
    """

    def __init__(self) -> None:
        self.problems: list[dict[str, str]] = []
        self.notes: list[dict[str, str]] = []

    def ask(
        self, what: str, function: Callable[[], T], default: T, device_type: str | None = None
    ) -> T:
        """Return what a function returns; if it raises, add a problem and return a default.

        Parameters
        ----------
        what : str
            The problem to report if it raises.
        function : callable
            The function, which asks torch, torch_npu or the machine.
        default : object
            The answer if it raises.
        device_type : str, optional
            The type of the device that it asks.
        """
        try:
            return function()
        except Exception as error:  # noqa: BLE001  (each goes into the report)
            reason, remedy = explain(error, device_type)
            remedy = remedy or _REMEDIES.get(device_type or "", _REPORT)
            self.add(problem(what, reason, remedy))
            return default

    def add(self, *problems: dict[str, str]) -> None:
        """Add problems; those with the same reason and remedy become one."""
        for new in problems:
            for known in self.problems:
                if (known["reason"], known["remedy"]) == (new["reason"], new["remedy"]):
                    known["what"] += f"; {new['what']}"
                    break
            else:
                self.problems.append(dict(new))

    def note(self, what: str, reason: str, remedy: str) -> None:
        """Add a note."""
        self.notes.append(problem(what, reason, remedy))
