"""A model in array code: differentiated for you, and compiled.

The model is a small neural network that reads handwritten digits: 64 pixels in, 32 numbers between,
10 scores out. To fit it, one goes downhill: compute how far off the model is (the loss), and in
which direction each of its 2410 parameters makes that less (the gradient); take a step; repeat.

With NumPy one has to work out the gradient by hand, as `numpy_gradient` does below. It is calculus
that is easily got wrong. An array of `ascend_array_api` is a torch tensor inside, so torch can do
two things with code that is written like NumPy's:

- `torch.func.grad(loss)` makes of the function `loss` the function that computes its gradient;
- `torch.compile(step)` makes one program of a whole step, in place of a call for each operation.

The arrays here are so small that NumPy is quick as well; what is gained in time grows with them.

Run it with ``python examples/compiled_fit.py --device cpu``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from agreement import Agreement, parse_device
from side_by_side import Array, NumpyArray, table
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Sequence

import torch  # after ascend_array_api, which knows how to load it on a machine with NPUs

TRAINING = 1347  # images to learn from; the other 450 are for the test
HIDDEN = 32
STEPS = 200
SHOWN = (0, 5, 10, 20, 30, 40, 60, 80, 120, 160, STEPS)
RATE, MOMENTUM, PENALTY = 0.4, 0.9, 1e-3

Parameters: TypeAlias = list[Array]
Step: TypeAlias = Callable[[Parameters, Parameters, Array, Array], tuple[Parameters, Parameters]]


# --- The model, in array code -----------------------------------------------------------------
#
# `xp` is to these functions what `np` is to NumPy's: the library that the functions come from.


def scores(parameters: Parameters, images: Array) -> Array:
    """Score each image for each digit: the digit with the highest score is read."""
    w1, b1, w2, b2 = parameters
    hidden = xp.tanh(xp.matmul(images, w1) + b1)
    return xp.matmul(hidden, w2) + b2


def loss(parameters: Parameters, images: Array, digits: Array) -> Array:
    """Return how far off the scores are (cross-entropy), plus a penalty for large weights."""
    s = scores(parameters, images)
    largest = xp.max(s, axis=1, keepdims=True)  # subtracted, so that exp() does not overflow
    log_sums = xp.log(xp.sum(xp.exp(s - largest), axis=1, keepdims=True)) + largest
    weights = xp.sum(parameters[0] ** 2) + xp.sum(parameters[2] ** 2)
    return xp.mean(xp.sum((log_sums - s) * digits, axis=1)) + PENALTY / 2 * weights


def loss_as_tensor(parameters: Parameters, images: Array, digits: Array) -> torch.Tensor:
    """Return the loss as torch wants it: `to_torch` takes the tensor out of an array."""
    return xp.to_torch(loss(parameters, images, digits))


gradient = torch.func.grad(loss_as_tensor)


def step(
    parameters: Parameters, velocities: Parameters, images: Array, digits: Array
) -> tuple[Parameters, Parameters]:
    """Take one step downhill, with some of the speed of the steps before."""
    slopes = gradient(parameters, images, digits)
    velocities = [MOMENTUM * v - RATE * s for v, s in zip(velocities, slopes)]
    return [p + v for p, v in zip(parameters, velocities)], velocities


def fit(
    step: Step, parameters: Parameters, images: Array, digits: Array
) -> tuple[dict[int, Parameters], float]:
    """Take all the steps; return the parameters after some, and the milliseconds for a step.

    The first step is not counted: it is when code is compiled, and kernels are loaded.
    """
    velocities = [xp.zeros_like(p) for p in parameters]
    course = {0: parameters}
    for count in range(1, STEPS + 1):
        parameters, velocities = step(parameters, velocities, images, digits)
        if count in SHOWN:
            course[count] = parameters
        if count == 1:
            wait(parameters)
            start = time.perf_counter()
    wait(parameters)
    return course, (time.perf_counter() - start) / (STEPS - 1) * 1e3


def wait(parameters: Parameters) -> None:
    """Wait until the device has done its work: a number on the host cannot come before that."""
    float(xp.sum(parameters[0]))


# --- The judge: NumPy, in float64, with the gradient worked out by hand -----------------------


def numpy_gradient(
    parameters: list[NumpyArray], images: NumpyArray, digits: NumpyArray
) -> tuple[float, list[NumpyArray]]:
    """Return the loss and its gradient: the chain rule, from the scores back to the weights."""
    w1, b1, w2, b2 = parameters
    hidden = np.tanh(images @ w1 + b1)
    s = hidden @ w2 + b2
    s -= np.max(s, axis=1, keepdims=True)
    log_probabilities = s - np.log(np.sum(np.exp(s), axis=1, keepdims=True))
    value = -np.sum(log_probabilities * digits) / len(images)
    value += PENALTY / 2 * (np.sum(w1**2) + np.sum(w2**2))
    ds = (np.exp(log_probabilities) - digits) / len(images)
    dh = ds @ w2.T * (1 - hidden**2)
    dw1, dw2 = images.T @ dh + PENALTY * w1, hidden.T @ ds + PENALTY * w2
    return float(value), [dw1, dh.sum(axis=0), dw2, ds.sum(axis=0)]


def numpy_fit(
    parameters: list[NumpyArray], images: NumpyArray, digits: NumpyArray
) -> list[NumpyArray]:
    """Take all the steps."""
    velocities = [np.zeros_like(p) for p in parameters]
    for _ in range(STEPS):
        _, slopes = numpy_gradient(parameters, images, digits)
        velocities = [MOMENTUM * v - RATE * s for v, s in zip(velocities, slopes)]
        parameters = [p + v for p, v in zip(parameters, velocities)]
    return parameters


# --- The run ----------------------------------------------------------------------------------


def choose_backend(device: Any) -> tuple[str, str]:
    """Return what makes the compiled program, and why it is that."""
    if device.type == "npu":
        return "eager", "traced, but not compiled: torch has no compiler for NPUs of its own"
    if device.type == "cpu":
        from torch._inductor import cpp_builder, exc

        try:
            cpp_builder.get_cpp_compiler()
        except exc.InvalidCxxCompiler:
            return "eager", "traced, but not compiled: this machine has no C++ compiler"
    return "inductor", "compiled"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; the exit status tells whether all agrees with NumPy."""
    device = parse_device(argv, "Fit a model by gradient descent, differentiated and compiled")
    # One thread on the host: more of them cost more than they bring on arrays as small as these.
    torch.set_num_threads(1)
    with threadpool_limits(limits=1):
        return compare(device)


def compare(device: Any) -> int:
    """Fit the model in three ways; return 0 if they agree."""
    backend, words = choose_backend(device)

    images64, labels = load_digits(return_X_y=True)
    images64 = images64 / 16  # pixels from 0 to 1
    digits64 = np.eye(10)[labels]  # the digit 3 becomes 0 0 0 1 0 0 0 0 0 0
    rng = np.random.default_rng(0)
    start64 = [
        rng.normal(size=(64, HIDDEN)) / 8,
        np.zeros(HIDDEN),
        rng.normal(size=(HIDDEN, 10)) / np.sqrt(HIDDEN),
        np.zeros(10),
    ]

    # `asarray` copies NumPy's numbers to the device: here as float32, which NPUs compute fast.
    images, digits = (xp.asarray(x, dtype=xp.float32, device=device) for x in (images64, digits64))
    start = [xp.asarray(p, dtype=xp.float32, device=device) for p in start64]
    train, train_digits = images[:TRAINING, :], digits[:TRAINING, :]

    course, milliseconds = fit(step, start, train, train_digits)
    compiled_step = torch.compile(step, backend=backend, fullgraph=True)
    compiled_course, compiled_milliseconds = fit(compiled_step, start, train, train_digits)
    fitted, compiled = course[STEPS], compiled_course[STEPS]

    train64, train_digits64 = images64[:TRAINING], digits64[:TRAINING]
    begin = time.perf_counter()
    fitted64 = numpy_fit(start64, train64, train_digits64)
    numpy_milliseconds = (time.perf_counter() - begin) / STEPS * 1e3

    read = xp.argmax(scores(fitted, images[TRAINING:, :]), axis=1)
    right = xp.mean(xp.astype(read == xp.argmax(digits[TRAINING:, :], axis=1), xp.float32))
    losses = {count: float(loss(p, train, train_digits)) for count, p in course.items()}
    print(f"{STEPS} steps on {device}: the loss goes from {losses[0]:.3f} to {losses[STEPS]:.3f}.")
    print(f"The model reads {float(right):.1%} of {images.shape[0] - TRAINING} new images.\n")
    rows = [[str(count), f"{value:.3f}"] for count, value in losses.items()]
    print(table(["steps taken", "loss"], rows), end="\n\n")
    print(
        table(
            ["a step takes", "milliseconds"],
            [
                ["one operation after another", f"{milliseconds:.2f}"],
                [words, f"{compiled_milliseconds:.2f}"],
                ["NumPy, in float64, by hand", f"{numpy_milliseconds:.2f}"],
            ],
        )
    )

    agreement = Agreement(device)
    slopes = gradient(start, train, train_digits)
    loss64, slopes64 = numpy_gradient(start64, train64, train_digits64)
    agreement.close("loss before", loss(start, train, train_digits), loss64, within=1e-6)
    for name, ours, numpys in zip(["w1", "b1", "w2", "b2"], slopes, slopes64):
        agreement.close(f"gradient of {name}", ours, numpys, within=1e-5)
    loss64, _ = numpy_gradient(fitted64, train64, train_digits64)
    for how, parameters in (("", fitted), (f", {words.split(',')[0]}", compiled)):
        value = loss(parameters, train, train_digits)
        agreement.close(f"loss after{how}", value, loss64, within=1e-4)
        agreement.close(f"weights w1{how}", parameters[0], fitted64[0], within=1e-3)
        agreement.close(f"weights w2{how}", parameters[2], fitted64[2], within=1e-3)
    return agreement.conclude()


if __name__ == "__main__":
    sys.exit(main())
