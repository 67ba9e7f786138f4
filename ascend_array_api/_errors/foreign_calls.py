"""Errors for calls in the forms of NumPy and torch, and the functions that raise them.

Imports no chapter, and knows nothing of arrays.

Python's own TypeError for an unknown argument does not say what to write instead.  So each function
accepts any arguments, as ``*misplaced`` and ``**unknown``, and raises our error for them.  Its
signature does not show the two, and they cost next to nothing.  A missing argument gets a default,
``Missing``, which every check refuses.
"""

from __future__ import annotations

import functools
import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Final, TypeVar

from .._torch.private import replace_in_traces
from .exceptions import Missing, MisuseError, check_memory
from .foreign_names import ADVICE, PARAMETERS

F = TypeVar("F", bound="Callable[..., Any]")

_GATHERED: Final = {"axes", "repetitions", "shape"}
"""Parameters that are one tuple here, while other libraries also take several numbers."""


@dataclass
class Numpys:
    """NumPy's forms of the functions' calls.  ``_numpy.calls``, which knows them, fills this in."""

    order: Callable[[str], Sequence[tuple[str, str | None]]] = lambda _: ()
    """Return NumPy's positional parameters of a function, each with our name for it or None."""
    hint: Callable[[str, Mapping[str, Any], Sequence[str]], str] = lambda *_: ""
    """Return the hint that relaxed mode takes a call, or nothing: given a function, arguments by
    NumPy's names that the function does not take, and the names of missing ones."""


NUMPYS: Final = Numpys()


def refusing(body: F) -> F:
    """Turn the body of a function into the function, which raises our error for a misuse."""
    return called(body)


def called(body: F, before: Iterable[str] = (), names: Mapping[str, Any] | None = None) -> F:
    """Return the function that users call, generated around a body that has the true signature.

    The function also accepts the arguments that it refuses; its signature does not show them.

    It is generated as source, as dataclasses generate methods, for two reasons.  A wrapper with
    ``*args`` would pack and unpack all arguments in each call.  And ``before``, lines of source
    that may use ``names``, can do plain calls in the same frame.  Tracebacks show the source.  The
    compiler traces the body instead.  If torch cannot get memory, the function raises MemoryError.
    """
    signature = inspect.signature(body)
    # A function that takes any number of arguments has no misplaced ones.
    several = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    name = body.__name__
    lines = [
        f"def {name}({', '.join(_parameters(signature))}):",
        "    if unknown:" if several else "    if misplaced or unknown:",
        f"        raise misuse({name}, {'()' if several else 'misplaced'}, unknown)",
        *before,
        "    try:",
        f"        return body({', '.join(positions(signature, named=True))})",
        "    except RuntimeError as error:",
        f"        check_memory(error, {name!r})",
        "        raise",
    ]
    made: F = _compiled(body, "\n".join(lines) + "\n", {**(names or {}), "body": body})
    functools.wraps(body)(made)
    # The source has no defaults: default values are objects, which source cannot spell.
    require(made, signature)
    replace_in_traces(made, body)
    return made


def positions(signature: inspect.Signature, *, named: bool = False) -> Iterator[str]:
    """Yield the arguments of a call as source; keyword-only ones by name if ``named``."""
    for p in signature.parameters.values():
        star = "*" if p.kind is p.VAR_POSITIONAL else ""
        yield f"{p.name}={p.name}" if named and p.kind is p.KEYWORD_ONLY else f"{star}{p.name}"


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    """Yield the parameters of a function as source, with the two that catch what it refuses.

    ``*misplaced`` stands where positional arguments end, and replaces the bare ``*`` there.
    """
    last = None
    refuses = "*misplaced"
    for p in signature.parameters.values():
        if last is p.POSITIONAL_ONLY and p.kind is not last:
            yield "/"
        if p.kind is p.VAR_POSITIONAL:
            refuses = ""
        if p.kind is p.KEYWORD_ONLY and refuses:
            yield refuses
            refuses = ""
        yield f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name
        last = p.kind
    if last is inspect.Parameter.POSITIONAL_ONLY:
        yield "/"
    if refuses:
        yield refuses
    yield "**unknown"


def _compiled(body: Callable[..., Any], source: str, names: dict[str, Any]) -> Any:
    # Warnings and late errors name the user's frame, by file.  A file name in the folder of the
    # body marks this frame as the package's.
    file = str(Path(body.__code__.co_filename).with_name(f"<{body.__module__}.{body.__name__}>"))
    namespace = {
        "__name__": body.__module__,
        "misuse": misuse,
        "check_memory": check_memory,
        **names,
    }
    exec(compile(source, file, "exec"), namespace)
    # Tracebacks and inspect read the source from here; no modification time keeps it for good.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return namespace[body.__name__]


def require(function: F, signature: inspect.Signature) -> F:
    """Give a function a signature and the defaults that go with it.

    A required parameter gets a ``Missing`` as its default.  So Python accepts a call that omits
    it, and the first check in the body raises our error.
    """
    vars(function)["__signature__"] = signature
    every = [p for p in signature.parameters.values() if p.kind is not p.VAR_POSITIONAL]
    values = {
        p.name: Missing(functools.partial(_absent, function, p.name))
        if p.default is p.empty
        else p.default
        for p in every
    }
    named = [p.name for p in every if p.kind is p.KEYWORD_ONLY]
    function.__defaults__ = tuple([v for n, v in values.items() if n not in named])
    function.__kwdefaults__ = {n: values[n] for n in named}
    return function


def _absent(function: Callable[..., Any], name: str) -> MisuseError:
    return misuse(function, (), {}, missing=(name,))


def unbound(
    function: Callable[..., Any], error: TypeError, given: Sequence[Any], named: Mapping[str, Any]
) -> TypeError:
    """Return the error to raise for a TypeError that a call raised.

    Return our error if the arguments do not fit the signature.  Otherwise the TypeError came from
    within the function, and is returned as it is.
    """
    signature = inspect.signature(function)
    try:
        signature.bind(*given, **named)
    except TypeError:
        parameters = signature.parameters
    else:
        return error
    ordered = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    placed, misplaced = ordered[: len(given)], given[len(ordered) :]
    unknown = {n: v for n, v in named.items() if n not in parameters or n in placed}
    required = (n for n, p in parameters.items() if p.default is p.empty)
    missing = [n for n in required if n not in placed and n not in named]
    return misuse(function, misplaced, unknown, missing)


def answering(function: F) -> F:
    """Make a function raise our error for a misuse, by a plain wrapper.

    Use it where the time of a call does not matter.
    """

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError as error:
            said = unbound(function, error, given, named)
            if said is error:
                raise
            raise said from None
        except RuntimeError as error:
            check_memory(error, function.__name__)
            raise

    return called  # type: ignore[return-value]


def misuse(
    function: Callable[..., Any],
    misplaced: Sequence[Any],
    unknown: Mapping[str, Any],
    missing: Sequence[str] = (),
) -> MisuseError:
    """Return the error for arguments that a function does not take, or that are missing."""
    # Users know functions of extensions by a prefix, as in "linalg.inv".
    chapter = function.__module__.split(".")[1:2]
    name = ".".join([*({"fft", "linalg", "special"} & {*chapter}), function.__name__])
    parameters = inspect.signature(function).parameters
    places = sum(p.kind is not p.KEYWORD_ONLY for n, p in parameters.items() if n != "self")
    numpys = NUMPYS.order(name)
    order = numpys[places:]
    named = {n for n, p in parameters.items() if p.kind is not p.POSITIONAL_ONLY}
    ours_of = {theirs: (n,) for theirs, n in numpys if n in named}
    theirs = {**dict(zip([n for n, _ in order], misplaced)), **unknown}
    together = _together(parameters, misplaced) if misplaced else ""
    beyond = together or len(misplaced) > len(order)
    hint = "" if beyond else NUMPYS.hint(name, theirs, missing)
    if misplaced and not together and order and _is_numpys(*order[0], misplaced[0]):
        unknown = {order[0][0]: misplaced[0], **unknown}
        misplaced = ()
    absent = " and ".join(map(repr, missing))
    said = [f"{absent} {'is' if len(missing) == 1 else 'are'} missing"] if missing else []
    first = order[0][1] if order else None
    said += [together or _misplaced(parameters, misplaced, first)] if misplaced else []
    for key in unknown:
        known = ours_of.get(key, PARAMETERS.get(key, ()))
        ours = next((n for n in known if n in parameters), None)
        if key in parameters:
            said.append(f"{key!r} goes by position, without its name")
        elif ours is not None:
            said.append(f"{key!r} is {ours!r} here")
        else:
            said.append(f"there is no {key!r}{f': {ADVICE[key]}' if key in ADVICE else ''}")
    plain = [p.replace(annotation=p.empty) for n, p in parameters.items() if n != "self"]
    form = f"Its form is {name}{inspect.Signature(plain)}."
    return MisuseError(f"{name}: {'; '.join(said)}. {form}{hint}")


def _is_numpys(parameter: str, ours: str | None, value: Any) -> bool:
    """Say whether an argument stands for a parameter that only NumPy has."""
    number = parameter == "out" and isinstance(value, (int, float, complex))
    return ours is None and value is not None and not number


def _together(parameters: Mapping[str, inspect.Parameter], misplaced: Sequence[Any]) -> str:
    """Say that arguments are one tuple or list, or nothing if they are not."""
    *_, last = "", *(n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY)
    if last in _GATHERED and isinstance(misplaced[0], int):
        return f"{last!r} is one tuple"
    if last == "arrays" and not isinstance(misplaced[0], (int, NoneType)):
        return "the arrays are one list or tuple"
    return ""


def _misplaced(
    parameters: Mapping[str, inspect.Parameter], misplaced: Sequence[Any], first: str | None
) -> str:
    """Say how the arguments go that are in no place; ``first`` is the first one's name in NumPy."""
    ordered = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY and n != "self"]
    named = [n for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
    taken = f"it takes {len(ordered)} positional argument{'' if len(ordered) == 1 else 's'}"
    if not named:
        return f"{taken}, not {len(ordered) + len(misplaced)}"
    value = f"={misplaced[0]!r}" if isinstance(misplaced[0], (int, tuple)) else ""
    return f"{taken}, and '{first or named[0]}{value}' by name"
