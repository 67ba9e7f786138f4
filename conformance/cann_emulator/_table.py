"""The kernel table, kernels.csv: what every kernel takes, and the C code that is made from it.

The columns of kernels.csv:

kernel
    The name of the function in libopapi.so.
arguments
    ``name:letter`` in the order of the C function, without the two that end every list (workspace
    size and executor). ``name:letter[dtypes]`` where the argument has dtypes of its own.
inputs, outputs
    The dtypes that CANN accepts on Atlas A2, in the abbreviations of `DTYPES`; no outputs means
    the same as inputs.
aicore
    The dtypes that run on AICore, the others run on AICPU; ``?`` where no document says. The first
    tensor decides which; one that has dtypes of its own, only where there is no other.
shapes
    ``broadcast`` where the inputs must broadcast to the shape of the output; ``combine`` where what
    the inputs promote to must not be of a higher kind (bool, integer, float, complex) than the
    output; ``same`` where inputs have the output's dtype; ``rounded`` where quotients that are
    rounded, by a ``mode`` other than 0, are of no complex numbers; as the chip only: ``rank6``
    where inputs have 6 dimensions at most, ``repeat`` for the limit of aclnnRepeat.
source
    The file of the repositories ops-math and ops-nn of CANN that the lists are from.
since, until
    The releases of CANN that the line is of: from the one, and before the other.  None is older
    than `OLDEST`.  A kernel that takes more since a release has two lines, one above the other.

socs.csv has, for chips before Atlas A2, what each kernel refuses of the data types that it takes
there; ``?`` where its file does not show it, which counts as bfloat16, of which these chips compute
nothing.
What stands nowhere is as on Atlas A2: nothing in these files tells Atlas A3 from it, and 950 is not
in the table.  ``python tools/kernel_lists.py socs --write`` makes it.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

BEFORE_A2 = ("310P", "910")
"""The families of chips before Atlas A2, of which socs.csv says what they refuse."""

HERE = Path(__file__).parent
SOCS = HERE / "socs.csv"

CANN = "9.1.0"
"""The release that is emulated where none is asked for."""

OLDEST = (8, 5)
"""The oldest release whose sources were read."""

# By abbreviation: the number in aclDataType and the name in torch.
DTYPES = {
    "B": (12, "bool"),
    "I8": (2, "int8"),
    "I16": (6, "int16"),
    "I32": (3, "int32"),
    "I64": (9, "int64"),
    "U8": (4, "uint8"),
    "U16": (7, "uint16"),
    "U32": (8, "uint32"),
    "U64": (10, "uint64"),
    "F16": (1, "float16"),
    "BF": (27, "bfloat16"),
    "F32": (0, "float32"),
    "F64": (11, "float64"),
    "C32": (33, "complex32"),
    "C64": (16, "complex64"),
    "C128": (17, "complex128"),
}

# C type and field of emulator_slot by letter. Tensors: T read, O written, U both, L a list,
# N one whose members without elements only hold places and may have any dtype;
# S scalar, A array of integers; b bool, c int8, j int32, i int64, t dtype, f float, d double.
TYPES = {
    **dict.fromkeys("TOULNSA", ("void *", "p")),
    "b": ("_Bool", "i"),
    "c": ("int8_t", "i"),
    "j": ("int32_t", "i"),
    "t": ("int32_t", "i"),
    "i": ("int64_t", "i"),
    "f": ("float", "d"),
    "d": ("double", "d"),
}

# What is checked besides dtypes, by bit: the CHECK_ values of operators.h.
CHECKS = ("broadcast", "combine", "rank6", "repeat", "same", "rounded")

_ARGUMENT = re.compile(r"(\w+):(\w)(?:\[([^]]*)\])?")


@dataclass(frozen=True)
class Argument:
    """One argument of a kernel.

    Attributes
    ----------
    name, type
        Its name, and its letter.
    dtypes
        Of tensors: what they may have, as names of torch.
    apart
        Whether these are not the dtypes of the kernel, but its own.
    """

    name: str
    type: str
    dtypes: frozenset[str] = frozenset()
    apart: bool = False


@dataclass(frozen=True)
class Kernel:
    """A row of kernels.csv."""

    name: str
    arguments: tuple[Argument, ...]
    aicore: frozenset[str] | None
    checks: frozenset[str]
    source: str


FUSED = Kernel(
    name="dvm",
    arguments=(Argument("program", "A"), Argument("units", "i")),
    aicore=None,
    checks=frozenset(),
    source="mindspore-ai/dvm",
)
"""Every kernel of DVM: the words of its program, and how many units run it."""


def release(cann: str) -> tuple[int, ...]:
    """Return the numbers of a release of CANN: (8, 5, 0) for ``"8.5"`` and ``"8.5.0-beta.1"``.

    Raises
    ------
    ValueError
        If it is no version, or the table does not reach back to it.
    """
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", cann, re.ASCII)
    if found is None or not re.fullmatch(r"[\w.+-]+", cann, re.ASCII):
        raise ValueError(f"no release of CANN: {cann!r}; they are named as 9.1 or 9.1.0")
    numbers = tuple(int(number or 0) for number in found.groups())
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ValueError(f"the kernels of CANN {cann} are not known; they are from {oldest} on")
    return numbers


def _names(dtypes: str) -> frozenset[str]:
    return frozenset(DTYPES[short][1] for short in dtypes.split())


def _kernel(row: dict[str, str]) -> Kernel:
    inputs = _names(row["inputs"])
    outputs = _names(row["outputs"]) or inputs
    of_letter = {"T": inputs, "L": inputs, "N": inputs, "O": outputs, "U": inputs & outputs}
    arguments = tuple(
        Argument(
            name, letter, _names(own) if own else of_letter.get(letter, frozenset()), bool(own)
        )
        for name, letter, own in _ARGUMENT.findall(row["arguments"])
    )
    return Kernel(
        name=row["kernel"],
        arguments=arguments,
        aicore=None if row["aicore"] == "?" else _names(row["aicore"]),
        checks=frozenset(row["shapes"].split()),
        source=row["source"],
    )


def is_of(row: dict[str, str], cann: str = CANN) -> bool:
    """Say whether a line of the table is of a release of CANN; all are that name none."""
    since, until = row.get("since"), row.get("until")
    numbers = release(cann)
    return (not since or numbers >= release(since)) and (not until or numbers < release(until))


@cache
def kernels(soc: str = "910B", cann: str = CANN) -> tuple[Kernel, ...]:
    """Return the kernels of a release of CANN as a family of chips has them, as numbered in C.

    `FUSED`, which is none of CANN's, has the next number.
    """
    if soc in BEFORE_A2:
        without = _refused(soc)
        return tuple(_narrower(kernel, without[kernel.name]) for kernel in kernels(cann=cann))
    with (HERE / "kernels.csv").open(newline="") as file:
        return tuple(_kernel(row) for row in csv.DictReader(file) if is_of(row, cann))


def named(name: str) -> str:
    """Return the whole name of a kernel, of which the first letters may be left out."""
    return name if name.startswith(("aclnn", "emulator")) else f"aclnn{name}"


def family(soc: str) -> str:
    """Return the family of a chip, by which conditions and tables name it."""
    found = re.match(r"(?:Ascend)?(910_93|910B|910|310P|310B|950)", soc)
    return found[1] if found else soc


def _refused(soc: str) -> dict[str, frozenset[str]]:
    with SOCS.open(newline="") as file:
        return {row["kernel"]: _names(row[soc].replace("?", "BF")) for row in csv.DictReader(file)}


def _narrower(kernel: Kernel, refused: frozenset[str]) -> Kernel:
    arguments = (a if a.apart else replace(a, dtypes=a.dtypes - refused) for a in kernel.arguments)
    return replace(kernel, arguments=tuple(arguments))


def _mask(dtypes: frozenset[str]) -> str:
    bits = sum(1 << number for number, name in DTYPES.values() if name in dtypes)
    return f"{bits:#x}ull"


def c_code(soc: str = "910B", cann: str = CANN) -> str:
    """Return kernels.c: the table of chips and a release, and the functions of every kernel.

    Kernels that CANN has and the emulator lacks (not_emulated.txt) say so when they are called. If
    they were absent, torch_npu would take the older operator path, as on a CANN that lacks them.
    """
    lines = ['#include "emulator.h"', '#include "operators.h"']
    lines.append("const emulator_kernel emulator_kernels[] = {")
    for kernel in (*kernels(soc, cann), FUSED):
        letters = "".join(argument.type for argument in kernel.arguments)
        accepts = ", ".join(_mask(argument.dtypes) for argument in kernel.arguments)
        aicore = "~0ull" if kernel.aicore is None else _mask(kernel.aicore)
        apart = sum(1 << i for i, argument in enumerate(kernel.arguments) if argument.apart)
        lines.append(
            f'  {{"{kernel.name}", {len(letters)}, "{letters}", {{{accepts}}}, {aicore}, {apart}, '
            f"{sum(1 << CHECKS.index(check) for check in kernel.checks)}}},"
        )
    lines.append("};")
    lines.append("const char *emulator_dtype_name(int dtype) {\n  switch (dtype) {")
    lines += [f'    case {number}: return "{name}";' for number, name in DTYPES.values()]
    lines.append('    default: return "unknown";\n  }\n}')
    for index, kernel in enumerate(kernels(soc, cann)):
        types = [TYPES[argument.type] for argument in kernel.arguments]
        parameters = "".join(f"{ctype} a{i}, " for i, (ctype, _) in enumerate(types))
        slots = ", ".join(f"{{.{slot} = a{i}}}" for i, (_, slot) in enumerate(types))
        lines.append(
            f"int {kernel.name}GetWorkspaceSize({parameters}uint64_t *size, void **executor) {{\n"
            f"  emulator_slot slots[] = {{{slots}}};\n"
            f"  return emulator_prepare({index}, slots, size, executor);\n}}\n"
            f"int {kernel.name}(void *workspace, uint64_t size, void *executor, void *stream) {{\n"
            f"  return emulator_launch(executor, stream);\n}}"
        )
    for name in (HERE / "not_emulated.txt").read_text().split():
        lines.append(
            f'int {name}GetWorkspaceSize(void) {{ return emulator_not_emulated("{name}"); }}\n'
            f'int {name}(void) {{ return emulator_not_emulated("{name}"); }}'
        )
    return "\n".join(lines) + "\n"
