"""scikit-learn on a device: choose the settings of a pipeline by cross-validation.

The data are 1797 images of handwritten digits, 8 x 8 pixels each. A pipeline of three steps learns
to read them: scale the pixels to 0 to 1, keep the strongest principal components, and classify by
logistic regression. How many components, and how strongly should the regression be held back from
fitting every detail? `GridSearchCV` tries six answers, each on three splits of the training images.

The estimators are scikit-learn's own, and so is all of the code below, but for two things: the
arrays are made by `xp.asarray(..., device=...)`, and scikit-learn is told to look what arrays it
gets (`array_api_dispatch=True`). Then it computes where they are.

Run it with ``python examples/sklearn_pipeline.py --device cpu``.
"""

from __future__ import annotations

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # scikit-learn asks for this before SciPy is imported.

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from agreement import Agreement, parse_device
from side_by_side import Array, table, to_numpy
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from threadpoolctl import threadpool_limits

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Sequence

GRID = {"components__n_components": [10, 40], "classifier__C": [0.1, 1.0, 10.0]}


def search(images: Array, digits: Array) -> tuple[GridSearchCV, Array, Array]:
    """Find the best settings; return the search, and what the best pipeline makes of new images.

    This function does not know what kind of arrays it gets: it runs on NumPy and on a device alike.
    """
    train, test, train_digits, test_digits = train_test_split(
        images, digits, test_size=450, random_state=0, stratify=digits
    )
    # Not every estimator can do this; scikit-learn's user guide has the list ("Array API support").
    # For some it depends on a setting, as it does for the two last ones here.
    pipeline = Pipeline(
        [
            ("scale", MinMaxScaler()),
            ("components", PCA(svd_solver="full")),
            ("classifier", LogisticRegression(solver="lbfgs")),
        ]
    )
    grid = GridSearchCV(pipeline, GRID, scoring="neg_log_loss", cv=3)
    grid.fit(train, train_digits)
    return grid, grid.predict_proba(test), grid.predict(test) == test_digits


def share_of_ink(images: Any) -> Any:
    """Divide each pixel by the sum over its image. This was written with only NumPy in mind."""
    return images / images.sum(axis=1)[:, None]


def strict_and_relaxed(images: Array) -> Array:
    """Show what the namespace says to code that only NumPy understands, and how to run it."""
    step = FunctionTransformer(share_of_ink)
    try:
        step.fit_transform(images)
    except AttributeError as error:
        print(f"strict:   {error}")
    with xp.options(relaxed=True):
        shares = step.fit_transform(images)
    print(f"relaxed:  an array of shape {tuple(shares.shape)}, on {shares.device}")
    return shares


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; the exit status tells whether all agrees with NumPy."""
    device = parse_device(argv, "Choose the settings of a pipeline by cross-validation")
    pixels64, digits64 = load_digits(return_X_y=True)

    # To the device. NumPy's numbers are `float64`; `float32` is what NPUs compute fast, and enough.
    # Labels are integers; they stay `int64`.
    pixels = xp.asarray(pixels64, dtype=xp.float32, device=device)
    digits = xp.asarray(digits64, device=device)

    # One thread on the host: more of them cost more than they bring on arrays as small as these.
    with sklearn.config_context(array_api_dispatch=True), threadpool_limits(limits=1):
        start = time.perf_counter()
        ours, probabilities, right = search(pixels, digits)
        accuracy = float(xp.mean(xp.astype(right, xp.float32)))  # waits for the device
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        numpys, expected, _ = search(pixels64, digits64)
        numpy_seconds = time.perf_counter() - start

    print(f"18 fits to choose from, and one to keep: {seconds:.1f} s on {device}, ", end="")
    print(f"{numpy_seconds:.1f} s by NumPy (float64)\n")
    results = ours.cv_results_
    rows = [
        [f"{s['components__n_components']} components, C = {s['classifier__C']}", f"{-score:.4f}"]
        for s, score in zip(results["params"], results["mean_test_score"])
    ]
    print(table(["settings", "log loss (less is better)"], rows))
    print(f"\nbest: {ours.best_params_}; it reads {accuracy:.1%} of 450 new images\n")

    # Strict or relaxed? All of the above ran strict, which is the default: scikit-learn's
    # estimators say only what the array API standard defines. Code of one's own often does not.
    flat = strict_and_relaxed(pixels)

    agreement = Agreement(device)
    agreement.equal("best settings", ours.best_params_, numpys.best_params_)
    agreement.close(
        "mean log losses",
        xp.asarray(results["mean_test_score"], device=device),
        numpys.cv_results_["mean_test_score"],
        within=1e-3,
    )
    # The fits stop when they are close enough to the optimum, float32 and float64 not in the same
    # place. Hence digits are compared where the probabilities leave no doubt.
    agreement.close("probabilities of 450 images", probabilities, expected, within=1e-2)
    ordered = np.sort(expected, axis=1)
    sure = ordered[:, -1] - ordered[:, -2] > 0.02
    ours_read = np.argmax(to_numpy(probabilities), axis=1)[sure]
    agreement.equal("digits read", ours_read.tolist(), np.argmax(expected, axis=1)[sure])
    agreement.close("shares of ink", flat, share_of_ink(pixels64), within=1e-6)
    return agreement.conclude()


if __name__ == "__main__":
    sys.exit(main())
