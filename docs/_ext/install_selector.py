"""The choice of a device, a processor and a pair of torch and torch_npu, and the commands for it.

A line ``<!-- install selector -->`` in a page stands for it.  Which pairs there are, and what was
run with them, is read from the table of what was run.  Without scripts the first choice is shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from ascend_array_api._doctor import tested

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx

    from ascend_array_api._doctor.tested import Row

MARK: Final = "<!-- install selector -->"
PROCESSORS: Final = {"x86-64": "x86-64", "aarch64": "Arm (aarch64)"}
DEVICES: Final = {"cpu": "the CPU", "cuda": "NVIDIA GPUs", "npu": "Ascend NPUs"}
_INDEX: Final = "--extra-index-url https://download.pytorch.org/whl/cpu"
_CLONE: Final = (
    "git clone https://github.com/ascend-array-api/ascend-array-api",
    "cd ascend-array-api",
)
_NPU: Final = (
    "source /usr/local/Ascend/ascend-toolkit/set_env.sh",
    "python -m ascend_array_api",
)


@dataclass(frozen=True)
class Choice:
    """What is typed for a device, a processor and a pair, and what was run of it."""

    device: str
    processor: str
    pair: str
    commands: tuple[str, ...]
    said: str


def pairs() -> list[Row]:
    """Return a line for each torch_npu and CANN: those of which most was run first, then newest.

    Of lines that differ in the chip alone the first is taken: it is that of which most was run.
    """
    found = [row for row in tested.rows() if row["torch_npu"][:1].isdigit() and _run(row)]
    found.sort(key=lambda row: [int(n) for n in re.findall(r"\d+", row["torch_npu"])], reverse=True)
    found.sort(key=lambda row: not row["what"].startswith("all tests"))
    first: dict[tuple[str, str], Row] = {}
    for row in found:
        first.setdefault((row["torch_npu"], row["CANN"]), row)
    return list(first.values())


def _run(row: Row) -> bool:
    return row["state"] == "run"


def _said(rows: Iterable[Row], where: str) -> str:
    """Say what was run, of the newest torch that anything was run with."""
    ran = sorted(filter(_run, rows), key=lambda row: int(row["torch"].split(".")[1]))
    if not ran:
        return f"Nobody has run it {where} yet."
    return f"Tested {where} with torch {ran[-1]['torch']}: {ran[-1]['what']}."


def choices() -> list[Choice]:
    """Return every choice, the most common one first."""
    rows = tested.rows()
    found = []
    for processor, name in PROCESSORS.items():
        ours = [row for row in rows if row["processor"] == processor]
        found.append(
            Choice("cpu", processor, "", (f"pip install . {_INDEX}",), _said(ours, f"on {name}"))
        )
        gpus = (
            [row for row in rows if "NVIDIA" in row["processor"]] if processor == "x86-64" else []
        )
        found.append(
            Choice("cuda", processor, "", ("pip install .",), _said(gpus, f"on GPUs beside {name}"))
        )
        for row in pairs():
            version = row["torch_npu"]
            commands = (f"pip install '.[npu]' torch-npu=={version} {_INDEX}",)
            cann = row["CANN"].partition(" ")[0]
            said = (
                f"Run over emulated CANN {cann}: {row['what']}. Nobody has run it on hardware yet."
            )
            if processor != "x86-64":
                said = "Nobody has run it on NPUs beside Arm yet."
            pair = f"torch_npu {version}, CANN {cann}"
            found.append(Choice("npu", processor, pair, (*commands, *_NPU), said))
    return found


def html() -> str:
    """Return the form, and a block for each choice, of which the script shows one."""
    every = choices()
    listed = dict.fromkeys(choice.pair for choice in every if choice.pair)
    parts = ['<form class="selector">']
    for name, options in (("device", DEVICES), ("processor", PROCESSORS)):
        parts.append("<fieldset>")
        for i, (value, label) in enumerate(options.items()):
            checked = " checked" if i == 0 else ""
            button = f'<input type="radio" name="{name}" value="{value}"{checked}>'
            parts.append(f"<label>{button} {label}</label>")
        parts.append("</fieldset>")
    parts.append('<label class="pair" hidden>torch_npu and CANN <select name="pair">')
    parts += [f"<option>{escape(pair)}</option>" for pair in listed]
    parts.append("</select></label></form>")
    for i, choice in enumerate(every):
        text = escape("\n".join(f"$ {command}" for command in (*_CLONE, *choice.commands)))
        parts.append(
            f'<div class="choice" data-device="{choice.device}" data-pair="{escape(choice.pair)}" '
            f'data-processor="{choice.processor}"{" hidden" if i else ""}>'
            f'<div class="highlight"><pre>{text}\n</pre></div><p>{escape(choice.said)}</p></div>'
        )
    return "\n".join(parts)


def read(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Insert the choice into a page."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, f"```{{raw}} html\n{html()}\n```")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
