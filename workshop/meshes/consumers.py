"""SciPy and scikit-learn on divided arrays, beside the same calls on one device.

Each expression is evaluated twice, with the data on one device and divided by rows over a mesh.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..cells.measure import _on_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS, COLUMNS, TOLERANCE = 60, 6, 1e-8

SCIPY: Final = (
    "stats.zscore(x)",
    "stats.skew(x)",
    "stats.kurtosis(x)",
    "stats.moment(x, 3)",
    "stats.sem(x)",
    "stats.variation(p)",
    "stats.gmean(p)",
    "stats.hmean(p)",
    "stats.ttest_1samp(x, 0.1).pvalue",
    "stats.ttest_ind(x[:, 0], x[:, 1]).statistic",
    "stats.pearsonr(x[:, 0], x[:, 1]).statistic",
    "stats.pearsonr(x[:, 0], x[:, 1]).pvalue",
    "stats.spearmanrho(x[:, 0], x[:, 1]).statistic",
    "stats.rankdata(x[:, 0])",
    "stats.chisquare(p, axis=1).pvalue",
    "stats.entropy(p, axis=1)",
    "stats.entropy(p)",
    "stats.describe(x).variance",
    "stats.tmean(x[:, 0])",
    "stats.normaltest(x).statistic",
    "stats.bartlett(x[:, 0], x[:, 1]).pvalue",
    "special.expit(x)",
    "special.logit(p)",
    "special.gammaln(p)",
    "special.ndtr(x)",
    "special.erf(x)",
    "special.xlogy(p, p)",
    "special.logsumexp(x, axis=1)",
    "special.logsumexp(x)",
    "special.softmax(x, axis=1)",
    "special.log_softmax(x, axis=1)",
    "signal.detrend(x, axis=1)",
    "signal.detrend(x, axis=0)",
    "signal.hilbert(x, axis=1)",
    "signal.fftconvolve(x, x, axes=1, mode='same')",
    "signal.oaconvolve(x, x[:9, :], axes=0)",
    "signal.resample(x, 9, axis=1)",
    "signal.welch(x, axis=1, nperseg=4)[1]",
    "signal.czt(x, axis=1)",
    "integrate.trapezoid(x, axis=1)",
    "integrate.cumulative_trapezoid(x, axis=0)",
    "cluster.vq.whiten(x)",
    "spatial.distance.cdist(x, x[:3, :])",
)
"""With ``x`` of a normal distribution and ``p`` between 0 and 1."""

SKLEARN: Final = (
    "StandardScaler().fit_transform(x)",
    "MinMaxScaler().fit_transform(x)",
    "MaxAbsScaler().fit_transform(x)",
    "Normalizer().fit_transform(x)",
    "PolynomialFeatures(2).fit_transform(x)",
    "PCA(3, svd_solver='full').fit(x).explained_variance_",
    "PCA(3, svd_solver='full').fit_transform(x)**2",
    "PCA(3, svd_solver='covariance_eigh').fit_transform(x)**2",
    "PCA(3, svd_solver='randomized', random_state=0).fit(x).explained_variance_",
    "Ridge(solver='svd').fit(x, t).coef_",
    "Ridge(solver='svd').fit(x, t).predict(x)",
    "RidgeClassifier(solver='svd').fit(x, y).predict(x)",
    "RidgeCV().fit(x, t).coef_",
    "LogisticRegression(solver='lbfgs').fit(x, y).predict(x)",
    "LinearDiscriminantAnalysis().fit(x, y).predict(x)",
    "GaussianNB().fit(x, y).predict(x)",
    "GaussianNB().fit(x, y).predict_proba(x)",
    "Nystroem(n_components=5, random_state=0).fit(x).transform(x)",
    "KMeans(2, n_init=1, random_state=0).fit(x).inertia_",
    "r2_score(t, t * 0.9)",
    "mean_squared_error(t, t * 0.9)",
    "mean_absolute_error(t, t * 0.9)",
    "accuracy_score(y, 1 - y)",
    "zero_one_loss(y, 1 - y)",
    "log_loss(y, p[:, 0])",
    "brier_score_loss(y, p[:, 0])",
    "roc_auc_score(y, p[:, 0])",
    "confusion_matrix(y, 1 - y)",
    "f1_score(y, y)",
    "cosine_similarity(x)",
    "euclidean_distances(x)",
    "linear_kernel(x)",
    "rbf_kernel(x)",
    "paired_euclidean_distances(x, x * 2)",
    "cross_val_score(Ridge(solver='svd'), x, t)",
    "cross_val_score(GaussianNB(), x, y)",
    "train_test_split(x, random_state=0)[1]",
    "make_pipeline(StandardScaler(), PCA(3, svd_solver='full')).fit_transform(x)**2",
)
"""With ``y`` of 0 and 1 and ``t`` of numbers, both beside the rows of ``x``."""

SINGLE: Final = ("accuracy_score", "zero_one_loss", "cross_val_score(GaussianNB")
"""How those begin that average hits in float32, the default floating data type, in any order."""
ROUNDINGS: Final = 4 * 2.0**-24
"""Of sums of hits, which are exact, a share of each of three parts, and their sum."""


@dataclass(frozen=True)
class Seen:
    """What came of an expression."""

    expression: str
    problem: str
    """Empty where it is right, or fails on one device too."""
    one: str
    """Why one device does not compute it; empty where it does."""
    gathers: tuple[str, ...]


def names() -> dict[str, Any]:
    """Return what the expressions use."""
    import scipy
    import sklearn
    from scipy import cluster, integrate, signal, spatial, special, stats
    from sklearn import cluster as clusters
    from sklearn import (
        decomposition,
        discriminant_analysis,
        kernel_approximation,
        linear_model,
        metrics,
        model_selection,
        naive_bayes,
        pipeline,
        preprocessing,
    )
    from sklearn.metrics import pairwise

    sklearn.set_config(array_api_dispatch=True)
    assert scipy._lib._array_api.SCIPY_ARRAY_API
    found: dict[str, Any] = {}
    for module in (
        *(decomposition, discriminant_analysis, kernel_approximation, linear_model, metrics),
        *(model_selection, naive_bayes, pipeline, preprocessing, clusters, pairwise),
    ):
        found.update({n: v for n, v in vars(module).items() if not n.startswith("_")})
    return found | {
        "stats": stats,
        "special": special,
        "signal": signal,
        "integrate": integrate,
        "cluster": cluster,
        "spatial": spatial,
    }


def data() -> dict[str, Any]:
    """Return the operands."""
    random = np.random.default_rng(5)
    x = random.standard_normal((ROWS, COLUMNS))
    return {
        "x": x,
        "p": random.uniform(0.1, 0.9, (ROWS, COLUMNS)),
        "y": (x @ np.arange(COLUMNS) > 0).astype(np.int64),
        "t": x @ np.arange(1.0, COLUMNS + 1) + random.standard_normal(ROWS) / 10,
    }


def compared(mesh: Any, only: Callable[[str], bool] = lambda _: True) -> Iterator[Seen]:
    """Evaluate the expressions on a mesh and on its device, and compare."""
    import ascend_array_api as xp
    from ascend_array_api import distributed as xd

    known, given = names(), data()

    def value(expression: str, device: Any) -> Any:
        with xp.options(device=device, gather="allow", relaxed=True):
            arrays = {n: xp.asarray(v) for n, v in given.items()}
            made = eval(expression, known | arrays)  # it is one of those above
            made = tuple(made) if isinstance(made, list) else made
            return made, _on_host(made)

    for expression in filter(only, (*SCIPY, *SKLEARN)):
        try:
            _, expected = value(expression, mesh.local)
        except Exception as error:  # noqa: BLE001  # it is no question of meshes then
            yield Seen(expression, "", _said(error), ())
            continue
        xd.gather_report(clear=True)
        try:
            made, got = value(expression, mesh)
            bound = ROUNDINGS if expression.startswith(SINGLE) else TOLERANCE
            problem = _difference(got, expected, bound)
            if not problem and isinstance(made, xp.Array) and made.device != mesh:
                problem = f"the result is on {made.device}"
        except Exception as error:  # noqa: BLE001  # whatever it is, one device has none
            problem = _said(error)
        gathers = tuple(sorted({g.operation for g in xd.gather_report()}))
        yield Seen(expression, problem, "", gathers)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"


def _difference(got: Any, expected: Any, bound: float) -> str:
    a, b = np.asarray(got), np.asarray(expected)
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return f"{a.dtype} {a.shape} instead of {b.dtype} {b.shape}"
    largest = float(np.max(np.abs(b))) if b.size else 0.0
    off = np.max(np.abs(a - b), initial=0.0) if b.dtype != bool else np.sum(a != b)
    return "" if off <= bound * max(1.0, largest) else f"off by {off:.1e}"
