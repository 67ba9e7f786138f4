"""scikit-learn on arrays of any namespace: recognise and complete handwritten digits.

Not a line below is about devices, and scikit-learn does not know ``ascend_array_api``: with
``array_api_dispatch=True`` an estimator computes in the namespace of the arrays it is fitted to,
on the device where they are, and its attributes, predictions and scores stay there.

Run it with ``python examples/sklearn_digits.py --device cpu --dtype float32``.
"""

from __future__ import annotations

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy looks at this once, when it is imported.

import sys
from typing import TYPE_CHECKING

import sklearn
from side_by_side import (
    Array,
    Comparison,
    Decision,
    Recorder,
    Setting,
    choice,
    compare,
    conclude,
    header,
    parse_setting,
    rounding,
    table,
)
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    f1_score,
    r2_score,
    root_mean_squared_error,
)
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLE = "scikit-learn: recognise and complete handwritten digits"

SHADES = " .:-=+*#%@"

# What amplifies rounding errors here: sums over the 1347 training images, times the condition
# numbers (ratios of the largest to the smallest singular value) of these matrices, rounded up.
TRAINING = 1347
SCALED_CONDITION = 13  # the standardised pixels
SUBSPACE_CONDITION = 42  # the 18 leading components: largest singular value over the gap behind
KERNEL_CONDITION = 56  # the square root of the kernel matrix of the 400 reference images
UPPER_HALF_CONDITION = 20  # the upper halves, with the ridge's strength added
COMPLETION_CONDITION = 42  # the 16 leading components of the upper halves, likewise


def analyse(images: Array, digits: Array, record: Recorder) -> None:
    """Recognise digits, and draw their lower halves from the upper ones."""
    xp = images.__array_namespace__()
    pixels = xp.reshape(images, (images.shape[0], -1))
    with sklearn.config_context(array_api_dispatch=True):
        with record.stage("split"):
            train, test, train_digits, test_digits = train_test_split(
                pixels, digits, test_size=450, random_state=0, stratify=digits
            )
            record.keep("test images", test, growth=0)
        recognise(train, test, train_digits, test_digits, record)
        complete(train, test, record)


def recognise(
    train: Array, test: Array, train_digits: Array, test_digits: Array, record: Recorder
) -> None:
    """Fit four classifiers to the training images and let them read the test images."""
    with record.stage("standardise"):
        # The corners are blank in every image. There is nothing to standardise in such pixels.
        xp = train.__array_namespace__()
        (inked,) = xp.nonzero(xp.max(train, axis=0) > xp.min(train, axis=0))
        train, test = xp.take(train, inked, axis=1), xp.take(test, inked, axis=1)
        scaler = StandardScaler().fit(train)
        scaled_train, scaled_test = scaler.transform(train), scaler.transform(test)
        # Where nearly all images are blank, one and the same term is added again and again, and all
        # the roundings go one way: as many as there are terms, not the square root of that.
        record.keep("standardised pixels", scaled_test, growth=TRAINING)

    with record.stage("PCA"):
        pca = PCA(n_components=18, svd_solver="full").fit(train)
        compact_train, compact_test = pca.transform(train), pca.transform(test)
        # Components are unique but for their signs and for rotations among equally strong ones, so
        # that the subspace which they span is compared: by the images projected to it.
        growth = rounding(TRAINING, SUBSPACE_CONDITION)
        record.keep("PCA: projected images", pca.inverse_transform(compact_test), growth=growth)
        record.keep(
            "PCA: explained variance", pca.explained_variance_ratio_, growth=rounding(TRAINING)
        )

    def assess(name: str, scores: Array, predicted: Array, condition: float) -> Decision:
        growth = rounding(TRAINING, condition)
        decision = choice(scores, growth)
        record.keep(f"{name}: scores", scores, growth=growth)
        record.keep(f"{name}: digits", predicted, growth=0, decision=decision)
        record.keep_score(
            f"{name}: accuracy",
            accuracy_score(test_digits, predicted),
            growth=rounding(predicted.shape[0]),
            decision=decision,
        )
        return decision

    with record.stage("linear discriminant analysis"):
        lda = LinearDiscriminantAnalysis().fit(scaled_train, train_digits)
        predicted = lda.predict(scaled_test)
        assess("LDA", lda.decision_function(scaled_test), predicted, SCALED_CONDITION)

    with record.stage("Gaussian naive Bayes on PCA"):
        bayes = GaussianNB(var_smoothing=1e-2).fit(compact_train, train_digits)
        predicted = bayes.predict(compact_test)
        scores = bayes.predict_joint_log_proba(compact_test)
        assess("naive Bayes", scores, predicted, SUBSPACE_CONDITION)

    with record.stage("ridge classifier"):
        ridge = RidgeClassifier(solver="svd").fit(scaled_train, train_digits)
        predicted = ridge.predict(scaled_test)
        assess("ridge", ridge.decision_function(scaled_test), predicted, SCALED_CONDITION)

    with record.stage("ridge classifier on a kernel"):
        # The same linear method, on the likeness of an image to each of 400 training images.
        kernel = make_pipeline(
            Nystroem(kernel="rbf", gamma=1e-3, n_components=400, random_state=0),
            RidgeClassifier(alpha=0.1, solver="svd"),
        ).fit(train, train_digits)
        predicted = kernel.predict(test)
        scores = kernel.decision_function(test)
        decision = assess("kernel ridge", scores, predicted, KERNEL_CONDITION)
        record.keep(
            "kernel ridge: confusions",
            confusion_matrix(test_digits, predicted),
            growth=0,
            decision=decision,
        )
        record.keep_score(
            "kernel ridge: F1",
            f1_score(test_digits, predicted, average="macro"),
            growth=rounding(predicted.shape[0]),
            decision=decision,
        )


def complete(train: Array, test: Array, record: Recorder) -> None:
    """Predict the lower half of the test images from the upper half, in two ways."""
    given, wanted = train[:, :32], train[:, 32:]
    test_given, test_wanted = test[:, :32], test[:, 32:]

    def assess(name: str, predicted: Array, condition: float) -> None:
        growth = rounding(TRAINING, condition)
        record.keep(f"{name}: lower halves", predicted, growth=growth)
        score = r2_score(test_wanted, predicted, multioutput="variance_weighted")
        record.keep_score(f"{name}: R2", score, growth=growth)
        error = root_mean_squared_error(test_wanted, predicted)
        record.keep_score(f"{name}: RMS error", error, growth=growth)

    with record.stage("completion, linear"):
        linear = make_pipeline(MinMaxScaler(), Ridge(solver="svd")).fit(given, wanted)
        assess("linear", linear.predict(test_given), UPPER_HALF_CONDITION)

    with record.stage("completion, quadratic, grid search"):
        # Products of features tell what a linear model cannot: "if this stroke and that one". There
        # are too many products of pixels, hence those of the 16 strongest components.
        quadratic = make_pipeline(
            MinMaxScaler(),
            PCA(n_components=16, svd_solver="full"),
            PolynomialFeatures(degree=2, include_bias=False),
            Ridge(solver="svd"),
        )
        strengths = {"ridge__alpha": [0.1, 1.0, 10.0, 100.0]}
        search = GridSearchCV(quadratic, strengths, cv=3, scoring="neg_mean_squared_error")
        search.fit(given, wanted)
        assess("quadratic", search.predict(test_given), COMPLETION_CONDITION)
        record.keep_score(
            "quadratic: best strength", float(search.best_params_["ridge__alpha"]), growth=0
        )


def findings(record: Recorder) -> str:
    """Say in words what came out."""
    accuracies = table(
        ["recognising digits", "accuracy"],
        [
            ["naive Bayes on 18 principal components", f"{record['naive Bayes: accuracy']:.1%}"],
            ["ridge classifier on pixels", f"{record['ridge: accuracy']:.1%}"],
            ["linear discriminant analysis on pixels", f"{record['LDA: accuracy']:.1%}"],
            ["ridge classifier on a kernel", f"{record['kernel ridge: accuracy']:.1%}"],
        ],
    )
    completions = table(
        ["drawing the lower half from the upper", "R2", "RMS error"],
        [
            [name, f"{record[f'{name}: R2']:.3f}", f"{record[f'{name}: RMS error']:.2f}"]
            for name in ("linear", "quadratic")
        ],
    )
    return f"{accuracies}\n\n{completions}\n\n{pictures(record)}"


def pictures(record: Recorder, count: int = 6) -> str:
    """Draw the first test images: as they are, and completed in both ways."""
    images = record["test images"][:count]
    lines = []
    for name in ("original", "linear", "quadratic"):
        completed = images.copy()
        if name != "original":
            completed[:, 32:] = record[f"{name}: lower halves"][:count]
        levels = completed.clip(0, 15.99).reshape(count, 8, 8) / 16 * len(SHADES)
        shades = [["".join(SHADES[int(x)] for x in row) for row in image] for image in levels]
        lines += ["  ".join(rows).rstrip() for rows in zip(*shades, strict=True)]
        lines.append(f"({name})")
    return "\n".join(lines)


def run(setting: Setting) -> Comparison:
    """Analyse the digits bundled with scikit-learn, on NumPy and in the setting."""
    digits = load_digits()
    return compare(TITLE, analyse, digits.images, digits.target, setting)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; the exit status tells whether the outcomes agree."""
    setting = parse_setting(argv, description=TITLE)
    print(header(setting))
    comparison = run(setting)
    return 0 if conclude(comparison, findings(comparison.run)) else 1


if __name__ == "__main__":
    sys.exit(main())
