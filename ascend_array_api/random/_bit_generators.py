"""The bit generators: the sources of random bits on a device."""

from __future__ import annotations

import itertools
import math
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from typing_extensions import Self

from .._devices.device import Device, DeviceLike, parse, spec
from .._options.defaults import resolve
from .._reports.capturing import Capture, here, refuse
from .._routes import random as ops
from .._routes._derivatives import tracked
from .._routes._operations import Op
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .._torch.private import in_transform

Seed: TypeAlias = "int | Sequence[int] | np.random.SeedSequence | None"

PERIOD: Final = 2**128
_JUMP: Final = 2**64


def seed_sequence(seed: Seed, device: Device) -> np.random.SeedSequence:
    """Return NumPy's seed sequence of a seed; without a seed, all processes of a mesh share one."""
    from numpy.random import SeedSequence

    if isinstance(seed, SeedSequence):
        return seed
    if seed is None:
        refuse("fresh entropy comes from the host", "Give a seed, or make the generator before")
        entropy: Any = SeedSequence().entropy
        return SeedSequence(device.backend.common(entropy))
    return SeedSequence(_entropy(seed))


def _entropy(seed: Any) -> int | list[int]:
    try:
        values = [operator.index(seed)]
        single = True
    except TypeError:
        if isinstance(seed, (str, bytes)) or not hasattr(seed, "__iter__"):
            raise TypeError(
                "seed must be None, an integer, a sequence of integers or a SeedSequence, "
                f"not {type(seed).__name__}."
            ) from None
        values = [operator.index(value) for value in seed]
        single = False
    if any(value < 0 for value in values):
        raise ValueError(f"seed must not be negative, got {seed}.")
    return values[0] if single else values


class BitGenerator:
    """A source of random bits on one device: the base of ``Philox`` and ``Native``.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence or None
        What determines the stream; None takes fresh entropy of the operating system.
    device : Device or str, optional
        The device on which arrays are drawn; by default the default device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> issubclass(xp.random.Philox, xp.random.BitGenerator)
    True
    """

    def __init__(self, seed: Seed = None, *, device: DeviceLike | None = None) -> None:
        if type(self) is BitGenerator:
            raise TypeError("BitGenerator: make a Philox or a Native one.")
        self._device = resolve(device, type(self).__name__)
        self._sequence: np.random.SeedSequence | None = seed_sequence(seed, self._device)
        self._begins()

    def _begins(self) -> None:
        """Begin: the generator is made, by a seed or by a state."""
        self._lock = threading.Lock()
        self._drawer = self._turns = 0  # the thread that drew last, and how often this changed
        self._ahead: dict[Any, Any] = {}  # numbers made ahead, by the call
        if here.capture is not None:
            here.capture.own.add(self)

    @property
    def device(self) -> Device:
        """The device on which arrays are drawn."""
        return self._device

    @property
    def seed_seq(self) -> np.random.SeedSequence:
        """The seed sequence from which the generator was made.

        Raises
        ------
        TypeError
            If it was made from a key.
        """
        if self._sequence is None:
            raise TypeError(
                f"{type(self).__name__}: a generator that was made from a key has no seed sequence."
            )
        _check_capture(self)  # it counts its children
        return self._sequence

    @property
    def state(self) -> dict[str, Any]:
        """All that determines what is drawn next; it can be set."""
        raise NotImplementedError

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        raise NotImplementedError

    def spawn(self, n_children: int) -> list[Self]:
        """Return independent bit generators, for as many processes or devices.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of BitGenerator
            Of the same kind and on the same device, made from the children that NumPy's
            ``SeedSequence.spawn`` gives.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> first, second = xp.random.Philox(42, device="cpu").spawn(2)
        >>> first.state == second.state
        False
        """
        if operator.index(n_children) < 0:
            raise ValueError(f"spawn: n_children must not be negative, got {n_children}.")
        return [type(self)(child, device=self._device) for child in self.seed_seq.spawn(n_children)]

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self._device, "sequence": self._sequence, "state": self.state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._device = state["device"]
        self._sequence = state["sequence"]
        self._begins()
        self._restore()
        self.state = state["state"]

    def _restore(self) -> None:
        """Create the parts of the generator that setting ``state`` needs."""

    def _check_state(self, value: Any, *names: str) -> None:
        name = type(self).__name__
        if not isinstance(value, dict) or value.get("bit_generator") != name:
            raise ValueError(f"{name}: state must be the state of a {name} bit generator.")
        missing = [n for n in names if n not in value.get("state", {})]
        if missing:
            raise ValueError(f"{name}: state lacks {', '.join(missing)}.")

    # --- what the distributions draw --------------------------------------------------------------

    def _host(self) -> BitGenerator | None:
        """Return a generator that draws the same on the host, if a draw may be made there now."""
        return None

    def _mark(self) -> Any:
        """Return where the generator is, for a draw that may fail."""
        raise NotImplementedError

    def _go_back(self, mark: Any) -> None:
        """Go back to a mark, because a draw failed."""
        raise NotImplementedError

    def _drawn(
        self,
        function: str,
        shape: tuple[int, ...],
        make: Callable[..., Tensor],
        values: Sequence[Any] = (),
        core: Sequence[int] = (),
    ) -> Tensor:
        """Return the tensor of an array of a shape that a function draws.

        The function takes a bit generator, the shape, and the values: scalars, or tensors that
        broadcast to the shape without their last axes, whose number is in ``core``.  On a mesh it
        may be called for each part, with the part of the tensors that it needs.
        """
        del function, core
        return self._device.backend.place(make(self, shape, *values))

    def _each(self, number: int) -> BitGenerator:  # noqa: ARG002
        """Return the bit generator for draws of several numbers for each element of the array."""
        return self

    def _sampled(self, sampler: Callable[..., Tensor], *parameters: Tensor) -> Tensor | None:  # noqa: ARG002
        """Return what torch's own function draws, if these are torch's own bits."""
        return None

    def _integers(self, count: int, dtype: torch.dtype) -> Tensor:
        """Return random bits, as int32 or int64."""
        raise NotImplementedError

    def _of_integers(
        self, count: int, dtype: torch.dtype, make: Callable[[Tensor], Tensor]
    ) -> Tensor:
        """Apply an elementwise function to random bits, as int32 or int64."""
        return make(self._integers(count, dtype))

    def _numbers(self, op: Op, count: int, dtype: torch.dtype) -> Any:
        """Return numbers of float32 or float64: uniform ones from [0, 1), or standard normal."""
        raise NotImplementedError

    def _tries(self, count: int, tries: int, width: int) -> ops.Words:
        """Return the source of random words for rejection, with ``width`` blocks for each try.

        Every number has its own bits for each of its tries, so it does not depend on whether other
        numbers were accepted.
        """
        raise NotImplementedError


class Philox(BitGenerator):
    """The portable generator: Philox4x32-10, the same stream on every device.

    A block of four words of 32 bits is a function of the key, which comes from the seed, and of
    the position in the stream, a number of 128 bits.  So the stream is the same, to the last bit,
    on the CPU, on GPUs and on NPUs.  Every draw begins with a new block: draws of whole blocks can
    be split at will, unless a distribution draws several arrays one after the other.  Of ``random``
    and ``standard_normal`` a block makes four numbers of float32, or two of float64.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence or None
        What determines the key; None takes fresh entropy of the operating system.  The key is
        ``SeedSequence(seed).generate_state(1, uint64)``.
    counter : int, default: 0
        The position at which to begin, from 0 to 2**128 - 1.
    key : int, optional
        The key itself, from 0 to 2**64 - 1, instead of a seed.
    device : Device or str, optional
        The device on which arrays are drawn; by default the default device.

    Raises
    ------
    ValueError
        If both a seed and a key are given, or one of the numbers is out of range.

    Notes
    -----
    J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, *Parallel random numbers: as easy as 1,
    2, 3* (SC '11).  NumPy's generator of the same name is Philox4x64: another stream.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> bits = xp.random.Philox(42, device="cpu")
    >>> rng = xp.random.Generator(bits)
    >>> x = rng.random(8)
    >>> bits.state["state"]["counter"]
    2
    """

    def __init__(
        self,
        seed: Seed = None,
        *,
        counter: int = 0,
        key: int | None = None,
        device: DeviceLike | None = None,
    ) -> None:
        if key is not None and seed is not None:
            raise ValueError("Philox: give a seed or a key, not both.")
        self._counter = _in_range("counter", counter, 128)
        given = None if key is None else _in_range("key", key, 64)
        super().__init__(seed if key is None else 0, device=device)
        if given is None:
            low, high = self.seed_seq.generate_state(2)
            self._key = int(low) | int(high) << 32
        else:
            self._key = given
            self._sequence = None

    @property
    def state(self) -> dict[str, Any]:
        """The key and the position, as a dictionary of integers; it can be set."""
        _check_capture(self)
        with self._lock:
            state = {"counter": self._counter, "key": self._key}
        return {"bit_generator": "Philox", "state": state}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        self._check_state(value, "counter", "key")
        counter = _in_range("counter", value["state"]["counter"], 128)
        key = _in_range("key", value["state"]["key"], 64)
        _check_capture(self)
        with self._lock:
            self._counter, self._key = counter, key

    def advance(self, delta: int) -> Self:
        """Move on in the stream, without drawing.

        Parameters
        ----------
        delta : int
            By how many blocks of four words; negative goes back.

        Returns
        -------
        Philox
            The generator itself.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> rng = xp.random.default_rng(42, device="cpu")
        >>> x = rng.random(8)
        >>> again = rng.bit_generator.advance(-2)
        >>> bool(xp.all(rng.random(8) == x))
        True
        """
        _check_capture(self)
        self._move(operator.index(delta))
        return self

    def jumped(self, jumps: int = 1) -> Self:
        """Return a generator of the same key, far on in the stream.

        Parameters
        ----------
        jumps : int, default: 1
            How many times 2**64 blocks farther.

        Returns
        -------
        Philox
            A new generator; this one stays where it is.

        Examples
        --------
        >>> import ascend_array_api as xp
        >>> bits = xp.random.Philox(42, device="cpu")
        >>> workers = [bits.jumped(i) for i in range(4)]
        """
        jumped = type(self).__new__(type(self))
        jumped.__setstate__(self.__getstate__())
        return jumped.advance(operator.index(jumps) * _JUMP)

    def _take(self, blocks: int) -> ops.Counter:
        """Advance the stream; return the position before."""
        if in_transform():
            _check_mapped()
        capture = here.capture
        if capture is not None and self not in capture.own:
            return self._take_later(blocks, capture)
        return self._move(blocks)

    def _move(self, blocks: int, at: int | None = None) -> int:
        """Advance the stream, unless it is not ``at`` a position; return the position before."""
        me = threading.get_ident()
        with self._lock:
            counter = self._counter
            if at is None or at == counter:
                self._counter = (counter + blocks) % PERIOD
                if me != self._drawer:
                    self._drawer, self._turns = me, self._turns + 1
        return counter

    def _host(self) -> BitGenerator | None:
        # A captured function would draw the same numbers in each replay.
        backend, captured = self._device.backend, here.before or here.capture is not None
        if captured or in_transform() or self._device.local is not self._device:
            return None
        if not backend.asynchronous:
            return self
        few = backend.most_uploaded and not backend.module.is_current_stream_capturing()
        return _OnHost(self) if few else None

    def _mark(self) -> Any:
        """Return the position, and how often another thread took its turn."""
        me = threading.get_ident()
        with self._lock:
            if me != self._drawer:
                self._drawer, self._turns = me, self._turns + 1
            return self._counter, self._turns

    def _go_back(self, mark: Any) -> None:
        """Go back, unless another thread has drawn since."""
        counter, turns = mark
        with self._lock:
            if self._turns == turns:
                self._counter = counter

    def _take_later(self, blocks: int, capture: Capture) -> ops.Later:
        """Let each replay of a captured function advance the stream; return the position before."""
        if self._device is not capture.device:
            refuse(f"a generator draws on {self._device}", "Draw before the call")
        draws = capture.draws_of(self, self._moved)
        return ops.Later(draws.words, draws.take(blocks))

    def _moved(self, blocks: int) -> Sequence[int]:
        """Advance the stream; return the words of the position before, and of the key."""
        return ops.words_of(self._move(blocks), self._key)

    def _begin(self, count: int, per: int, each: int = 1) -> tuple[Any, int]:
        """Move on by numbers of which ``per`` are made of a block, or ``each`` blocks make one.

        Returns the position at which the first one's block is, and how many are before it there.
        """
        return self._take(-(-count // per) * each), 0

    def _drawn(
        self,
        function: str,
        shape: tuple[int, ...],
        make: Callable[..., Tensor],
        values: Sequence[Any] = (),
        core: Sequence[int] = (),
    ) -> Tensor:
        """Return the tensor; each device of a mesh draws its own part of the same stream."""
        local = self._device.local
        alone = local is self._device
        if not alone and tracked(*(v for v in values if isinstance(v, torch.Tensor))):
            return super()._drawn(function, shape, make, values, core)
        taken: list[Any] = []

        def part(rows: range, own: tuple[int, ...], *values: Any) -> Tensor:
            if alone:
                return make(self, own, *values)
            inner = math.prod(shape[1:])
            slice_of = _Slice(self, local, taken, rows.start * inner, math.prod(shape))
            return make(slice_of, own, *values)

        return self._device.backend.by_rows(function, shape, part, values, core)

    def _integers(self, count: int, dtype: torch.dtype) -> Tensor:
        """Return random bits, as int32 or int64."""
        per = 16 // dtype.itemsize
        counter, skipped = self._begin(count, per)
        words = self._blocks(counter, -(-(skipped + count) // per))
        return words.view(dtype).view(-1)[skipped : skipped + count]

    def _of_integers(
        self, count: int, dtype: torch.dtype, make: Callable[[Tensor], Tensor]
    ) -> Tensor:
        """Apply an elementwise function to random bits."""
        counter, skipped = self._begin(count, 16 // dtype.itemsize)
        kernel = ops.of_integers.on(spec(dtype, self._device))
        made: Tensor = kernel(counter, self._key, skipped + count, dtype, self._device, make)
        return made[skipped:] if skipped else made

    def _blocks(self, counter: ops.Counter, blocks: int, offsets: Tensor | None = None) -> Tensor:
        kernel = ops.philox.on(spec(dt.int32, self._device))
        words: Tensor = kernel(counter, self._key, blocks, self._device.torch_device, offsets)
        return words

    def _numbers(self, op: Op, count: int, dtype: torch.dtype) -> Any:
        counter, skipped = self._begin(count, 4 // ops.WORDS[dtype])
        kernel = op.on(spec(dtype, self._device))
        numbers = kernel(counter, self._key, skipped + count, dtype, self._device)
        return numbers[skipped:] if skipped else numbers

    def _offsets(self, places: Any, blocks: int, before: int) -> Any:
        """Return where the blocks of a try are, of so many for each number and some before."""
        return ops.scaled(places, blocks, before)

    def _tries(self, count: int, tries: int, width: int) -> ops.Words:
        """Return what gives the rows of words for each try of rejection."""
        start, _ = self._begin(count, 1, tries * width)
        integral = dt.int32 if width == 1 else dt.int64
        kept: dict[Any, Any] = {}

        def words(attempt: int | None, places: Any, number: int) -> Tensor:
            if attempt is None:
                within = torch.arange(tries * width, dtype=dt.int64, device=places.device)
                offsets = (places.unsqueeze(-1) * (tries * width) + within).view(-1)
                made = self._blocks(start, offsets.numel(), offsets)
                return made.view(-1, tries, 4 * width)
            offsets = self._offsets(places, tries * width, attempt * width)
            kernel = ops.tried.on(spec(integral, self._device))
            row: Tensor = kernel(start, self._key, number, self._device, integral, kept, offsets)
            return row.unsqueeze(1)

        return ops.Words(words, width, by_place=True)


def _check_capture(generator: BitGenerator) -> None:
    """Refuse what a captured function does once, when each call should: to read or set a state."""
    if here.capture is not None and generator not in here.capture.own:
        refuse("the state of a generator is on the host", "Read and set it before the call")


def _check_native() -> None:
    """Refuse to draw in a captured function: torch keeps the place in the stream on the host."""
    refuse("Native draws by torch's generator, whose state is on the host", "Use Philox")


def _check_mapped() -> None:
    """Refuse to draw within ``torch.vmap``, as torch does, unless all examples share the draw."""
    try:  # torch's own function raises, unless the user chose a mode of randomness
        torch.rand((), device="cpu", generator=torch.Generator()).item()
    except RuntimeError:
        raise RuntimeError(
            "Philox: within torch.vmap a generator draws the same numbers for every example. Draw "
            "them before, with one more axis, and map over that; or ask for this by "
            'vmap(..., randomness="same").'
        ) from None


class _Slice(Philox):
    """A generator on one device of a mesh, for some elements of an array.

    It draws the numbers that the generator of the mesh draws for these elements.  All devices of a
    process take the same pieces of the stream in the same order.
    """

    def __init__(
        self, whole: Philox, device: Device, taken: list[Any], start: int, count: int
    ) -> None:
        self._device = device
        self._key = whole._key
        self._start, self._count = start, count
        places = itertools.count()

        def take(blocks: int) -> Any:
            place = next(places)
            if place == len(taken):
                taken.append(whole._take(blocks))
            return taken[place]

        self._take = take  # type: ignore[method-assign]

    def _each(self, number: int) -> _Slice:
        several = _Slice.__new__(_Slice)
        more = {"_start": self._start * number, "_count": self._count * number}
        several.__dict__.update(self.__dict__, **more)
        return several

    def _begin(self, count: int, per: int, each: int = 1) -> tuple[Any, int]:  # noqa: ARG002
        """Advance by the numbers of the whole array, not of the part."""
        counter, _ = super()._begin(self._count, per, each)
        return (counter + self._start // per * each) % PERIOD, self._start % per


class TooManyError(Exception):
    """A draw is left to the device."""


class _OnHost(Philox):
    """A generator on the host that draws few numbers for one on an accelerator."""

    def __init__(self, whole: Philox) -> None:
        self.__dict__.update(whole.__dict__, _device=parse("cpu"), _move=whole._move)
        self.__dict__.update(_mark=whole._mark, _go_back=whole._go_back)
        self._most = whole._device.backend.most_uploaded

    def _begin(self, count: int, per: int, each: int = 1) -> tuple[Any, int]:
        if count > self._most:
            raise TooManyError
        return super()._begin(count, per, each)


class Every(Philox):
    """A generator on the host that makes many draws at once, each some blocks after the last.

    ``number`` is how many numbers a draw has.
    """

    def __init__(self, whole: Philox, start: int, step: int, number: int) -> None:
        self._begins()
        self._device, self._key, self._counter = whole._device, whole._key, start
        self._step, self._number = step, number

    def _each(self, number: int) -> Every:
        several = Every.__new__(Every)
        several.__dict__.update(self.__dict__, _number=self._number * number, _move=self._move)
        return several

    def _begin(self, count: int, per: int, each: int = 1) -> tuple[Any, int]:  # noqa: ARG002
        """Advance by the numbers of one draw."""
        return super()._begin(self._number, per, each)

    def _integers(self, count: int, dtype: torch.dtype) -> Tensor:
        number, per = self._number, 16 // dtype.itemsize
        start, _ = self._begin(count, per)
        offsets = np.arange(count // number)[:, None] * self._step + np.arange(-(-number // per))
        words = self._blocks(start, offsets.size, torch.from_numpy(offsets.ravel()))
        return words.view(dtype).view(count // number, -1)[:, :number].reshape(-1)

    _of_integers = BitGenerator._of_integers

    def _numbers(self, op: Op, count: int, dtype: torch.dtype) -> Any:
        start, _ = self._begin(count, per := 4 // ops.WORDS[dtype])
        size = (count // self._number - 1) * per * self._step + self._number
        numbers = op.on(spec(dtype, self._device))(start, self._key, size, dtype, self._device)
        return numbers.unfold(0, self._number, per * self._step).reshape(-1)

    def _offsets(self, places: Any, blocks: int, before: int) -> Any:
        at = torch.as_tensor(places, dtype=dt.int64, device="cpu")
        return at // self._number * self._step + at % self._number * blocks + before


def _in_range(name: str, value: Any, bits: int) -> int:
    number = operator.index(value)
    if not 0 <= number < 2**bits:
        raise ValueError(f"Philox: {name} must be from 0 to 2**{bits} - 1, got {number}.")
    return number


class Native(BitGenerator):
    """Torch's own generator of the device: the fastest there, with a stream of its own.

    The stream depends on the kind of device, and on the versions of torch and its kernels.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence or None
        What determines the stream; None takes fresh entropy of the operating system.
    device : Device or str, optional
        The device on which arrays are drawn; by default the default device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> rng = xp.random.Generator(xp.random.Native(42, device="cpu"))
    >>> x = rng.normal(size=(2, 3))
    """

    def __init__(self, seed: Seed = None, *, device: DeviceLike | None = None) -> None:
        super().__init__(seed, device=device)
        self._restore()
        low, high = self.seed_seq.generate_state(2)
        self._generator.manual_seed(int(low) | (int(high) << 32) % 2**63)

    def _restore(self) -> None:
        self._generator = torch.Generator(self._device.torch_device)

    @property
    def state(self) -> dict[str, Any]:
        """The state of torch's generator, as bytes; it can be set."""
        state = {"bytes": bytes(self._generator.get_state().tolist())}
        return {"bit_generator": "Native", "state": state}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        self._check_state(value, "bytes")
        content = list(value["state"]["bytes"])
        self._generator.set_state(torch.tensor(content, dtype=dt.uint8, device="cpu"))

    def _mark(self) -> Any:
        return self._generator.get_state()

    def _go_back(self, mark: Any) -> None:
        self._generator.set_state(mark)

    def _words(self, blocks: int) -> Tensor:
        """Return rows of four random int32."""
        _check_native()
        limits = torch.iinfo(dt.int32)
        empty = torch.empty((blocks, 4), dtype=dt.int32, device=self._device.torch_device)
        return empty.random_(limits.min, limits.max + 1, generator=self._generator)

    def _integers(self, count: int, dtype: torch.dtype) -> Tensor:
        """Return random bits, as int32 or int64."""
        words = self._words(-(-count * dtype.itemsize // 16))
        return words.view(dtype).view(-1)[:count]

    def _numbers(self, op: Op, count: int, dtype: torch.dtype) -> Tensor:
        _check_native()
        draw = torch.rand if op is ops.uniform else torch.randn
        device = self._device.torch_device
        return draw(count, dtype=dtype, device=device, generator=self._generator)

    def _sampled(self, sampler: Callable[..., Tensor], *parameters: Tensor) -> Tensor | None:
        if not self._device.backend.samplers:
            return None
        _check_native()
        return sampler(*parameters, generator=self._generator)

    def _tries(self, count: int, tries: int, width: int) -> ops.Words:  # noqa: ARG002
        """Return what gives the rows of words for each try of rejection."""

        def words(attempt: int | None, places: Any, number: int) -> Tensor:  # noqa: ARG001
            every = tries if attempt is None else 1
            return self._words(len(places) * every * width).view(-1, every, 4 * width)

        return ops.Words(words, width, by_place=False)
