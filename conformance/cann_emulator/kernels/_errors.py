"""The error of a kernel that ran and failed, as a device reports it."""

from __future__ import annotations

AICORE_EXCEPTION, AICPU_EXCEPTION = 507015, 507018


class KernelError(Exception):
    """An error that the next synchronisation answers; no defect of the emulator."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
