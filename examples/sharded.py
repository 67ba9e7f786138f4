"""Arrays over several devices: one process for each, and the same array code.

The program standardises the digits that come with scikit-learn, finds the directions in which they
differ most (principal components), and fits a classifier by going downhill. Its arrays are divided
by rows: each process has its part of the images, and only small matrices travel between them.

Run it on two processes with
``python -m torch.distributed.run --nproc-per-node 2 examples/sharded.py``,
or on one with ``python examples/sharded.py``: the results are the same.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_digits

import ascend_array_api as xp
import ascend_array_api.distributed as xd

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPONENTS = 16
STEPS, RATE, PENALTY = 100, 0.2, 1e-3


def components(xp: Any, images: Any) -> tuple[Any, Any]:
    """Return the images in the directions in which they differ most, and how much they do."""
    centred = images - xp.mean(images, axis=0)
    covariance = xp.matmul(centred.T, centred) / images.shape[0]
    values, vectors = xp.linalg.eigh(covariance)
    return xp.matmul(centred, vectors[:, -COMPONENTS:]), values[-COMPONENTS:]


def fit(xp: Any, x: Any, wanted: Any) -> Any:
    """Return the weights of a softmax classifier, by steps downhill."""
    weights = xp.matmul(x.T, wanted) * 0.0
    for _ in range(STEPS):
        scores = xp.exp(xp.matmul(x, weights))
        shares = scores / xp.sum(scores, axis=1, keepdims=True)
        slope = xp.matmul(x.T, shares - wanted) / x.shape[0]
        weights = weights - RATE * (slope + PENALTY * weights)
    return weights


def analysis(xp: Any, images: Any, wanted: Any) -> dict[str, Any]:
    """Return what is found, by whichever library."""
    projected, variances = components(xp, images)
    scale = xp.std(projected, axis=0)
    x = projected / scale
    weights = fit(xp, x, wanted)
    hits = xp.argmax(xp.matmul(x, weights), axis=1) == xp.argmax(wanted, axis=1)
    return {
        "variances": variances,
        "scores": xp.matmul(x, weights) ** 2,  # the signs of directions are arbitrary
        "right": xp.mean(xp.astype(hits, x.dtype)),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Compute on the mesh and with NumPy, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="cpu, cuda, npu (default: an NPU, else the CPU)")
    mesh = xd.init(parser.parse_args(argv).device)

    data = load_digits()
    images = data.images.reshape(-1, 64)
    wanted = np.eye(10)[data.target]

    # Every process has read the file: each keeps its rows. float64 where the device has it.
    dtype = xp.float32 if mesh.local.type == "npu" else xp.float64
    with xp.options(device=mesh, gather="error"):  # nothing large travels
        divided = [xp.asarray(a, dtype=dtype) for a in (images, wanted)]
        found = analysis(xp, *divided)
    expected = analysis(np, images, wanted)

    layout = xd.layout(divided[0])
    lines = [f"{mesh}: the images are divided by rows, {layout.sizes}"]
    failed = False
    for name, ours in found.items():
        theirs = np.asarray(expected[name])
        off = np.max(np.abs(np.asarray(xd.gather(ours)) - theirs)) / np.max(np.abs(theirs))
        agrees = off <= (1e-2 if dtype is xp.float32 else 1e-8)
        failed |= not agrees
        lines.append(
            f"  {name:10} differs from NumPy's by {off:.0e}{'' if agrees else ': TOO MUCH'}"
        )
    lines.append(f"{float(found['right']):.1%} of the digits are read right")
    lines.append("FAILED" if failed else "All results agree with NumPy's.")
    if xd.rank(mesh) == 0:
        print("\n".join(lines))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
