"""Decompositions of matrices."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .._arrays.array import Array, wrap
from .._arrays.axes import as_bool
from .._calls.plainest import plainest
from .._errors.foreign_calls import refusing
from .._options import relaxed
from .._routes import linear_algebra as ops
from ._checks import compute, decomposable, square

__all__ = ["cholesky", "eigh", "eigvalsh", "qr", "svd", "svdvals"]


class EigResult(NamedTuple):
    """The result of ``eig``."""

    eigenvalues: Array
    """The eigenvalues, in no particular order."""
    eigenvectors: Array
    """The eigenvectors, as columns of length 1, in the order of the eigenvalues."""


class EighResult(NamedTuple):
    """The result of ``eigh``."""

    eigenvalues: Array
    """The eigenvalues, in ascending order."""
    eigenvectors: Array
    """The eigenvectors, as orthonormal columns, in the order of the eigenvalues."""


class QRResult(NamedTuple):
    """The result of ``qr``."""

    Q: Array
    """Matrices with orthonormal columns."""
    R: Array
    """Upper triangular matrices."""


class SVDResult(NamedTuple):
    """The result of ``svd``."""

    U: Array
    """The left singular vectors, as orthonormal columns."""
    S: Array
    """The singular values, in descending order."""
    Vh: Array
    """The right singular vectors, conjugated, as orthonormal rows."""


@plainest("x: array, upper: bool", "kernel(tensor, upper=upper)", kernel=ops.cholesky)
def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Factor a positive definite matrix, or each of a stack, into triangular matrices.

    A Hermitian (symmetric, if it is real) positive definite matrix is ``L @ L^H`` for a lower
    triangular ``L``, and ``U^H @ U`` for the upper triangular ``U = L^H``.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, M)``.
        Whether the matrices are Hermitian is not checked: only one triangle of them is read.
    upper : bool
        Whether to return ``U`` rather than ``L``.

    Returns
    -------
    Array
        The triangular matrices, of the shape of ``x``, with zeros in the other triangle.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the matrices are not square.
    LinAlgError
        If a matrix is not positive definite; on the CPU only.

    Notes
    -----
    On an accelerator an error would have to be waited for: there the factor of a matrix that is
    not positive definite is NaN.  Rounding decides of a matrix whose least eigenvalue is 0, or as
    good as 0 beside the greatest one.  Whether NPUs give NaN or lose the device is open: CANN's
    kernel asserts that such matrices do not come, if its release keeps assertions.  Factor a matrix
    that may be one on the CPU there, or look at ``eigvalsh`` first.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[4.0, 2.0], [2.0, 5.0]])
    >>> xp.linalg.cholesky(x)
    Array([[2., 0.],
           [1., 2.]], dtype=float32, device='cpu')
    >>> xp.linalg.cholesky(x, upper=True)
    Array([[2., 1.],
           [0., 2.]], dtype=float32, device='cpu')
    """
    tensor, spec = square("cholesky", x)
    upper = as_bool("cholesky", upper, "upper")
    failure = "a matrix is not positive definite, as it must be for its Cholesky factor to exist."
    factor = compute(ops.cholesky, spec, tensor, failure=failure, upper=upper)
    return wrap(factor, spec)


@refusing
def eig(x: Array, /) -> EigResult:
    """Find the eigenvalues and eigenvectors of a square matrix, or of each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, M)``.

    Returns
    -------
    EigResult
        A named tuple of ``eigenvalues``, of shape ``(..., M)`` and in no particular order, and
        ``eigenvectors``, of shape ``(..., M, M)``, whose columns are the eigenvectors.  Both are
        of the complex data type of the precision of ``x``.  NaN for a matrix with NaN or an
        infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the matrices are not square.
    LinAlgError
        If the algorithm does not converge.

    See Also
    --------
    eigh : For Hermitian matrices: faster, more exact, with real eigenvalues.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> eigenvalues, eigenvectors = xp.linalg.eig(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    >>> eigenvalues
    Array([2.+0.j, 3.+0.j], dtype=complex64, device='cpu')
    >>> eigenvectors
    Array([[1.+0.j, 0.+0.j],
           [0.+0.j, 1.+0.j]], dtype=complex64, device='cpu')
    """
    tensor, spec = square("eig", x)
    values, vectors = compute(ops.eig, spec, tensor)
    own = spec.of(values.dtype)
    return EigResult(wrap(values, own), wrap(vectors, own))


@refusing
def eigh(x: Array, /) -> EighResult:
    """Find the eigenvalues and eigenvectors of a Hermitian matrix, or of each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, M)``.
        Whether the matrices are Hermitian (symmetric, if they are real) is not checked: only the
        lower triangle is read.

    Returns
    -------
    EighResult
        A named tuple of ``eigenvalues``, of shape ``(..., M)``, real and in ascending order, and
        ``eigenvectors``, of shape ``(..., M, M)`` and the data type of ``x``, whose orthonormal
        columns are the eigenvectors.  NaN for a matrix with NaN or an infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the matrices are not square.
    LinAlgError
        If the algorithm does not converge.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> eigenvalues, eigenvectors = xp.linalg.eigh(xp.asarray([[3.0, 0.0], [0.0, 2.0]]))
    >>> eigenvalues
    Array([2., 3.], dtype=float32, device='cpu')
    """
    tensor, spec = square("eigh", x)
    values, vectors = compute(ops.eigh, spec, tensor)
    return EighResult(wrap(values, spec.real), wrap(vectors, spec))


@refusing
def eigvals(x: Array, /) -> Array:
    """Find the eigenvalues of a square matrix, or of each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, M)``.

    Returns
    -------
    Array
        The eigenvalues, in no particular order, of shape ``(..., M)`` and of the complex data
        type of the precision of ``x``.  NaN for a matrix with NaN or an infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the matrices are not square.
    LinAlgError
        If the algorithm does not converge.

    See Also
    --------
    eigvalsh : For Hermitian matrices: faster, more exact, with real eigenvalues.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.eigvals(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    Array([2.+0.j, 3.+0.j], dtype=complex64, device='cpu')
    """
    tensor, spec = square("eigvals", x)
    values = compute(ops.eigvals, spec, tensor)
    return wrap(values, spec.of(values.dtype))


@refusing
def eigvalsh(x: Array, /) -> Array:
    """Find the eigenvalues of a Hermitian matrix, or of each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, M)``.
        Whether the matrices are Hermitian (symmetric, if they are real) is not checked: only the
        lower triangle is read.

    Returns
    -------
    Array
        The eigenvalues, in ascending order, of shape ``(..., M)`` and of the real data type of
        the precision of ``x``.  NaN for a matrix with NaN or an infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the matrices are not square.
    LinAlgError
        If the algorithm does not converge.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.eigvalsh(xp.asarray([[3.0, 0.0], [0.0, 2.0]]))
    Array([2., 3.], dtype=float32, device='cpu')
    """
    tensor, spec = square("eigvalsh", x)
    return wrap(compute(ops.eigvalsh, spec, tensor), spec.real)


@refusing
def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """Factor a matrix, or each of a stack, into an orthogonal and an upper triangular matrix.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, N)``.
    mode : {"reduced", "complete"}
        Whether ``Q`` has ``K = min(M, N)`` columns, or all ``M``.

    Returns
    -------
    QRResult
        A named tuple of ``Q``, of shape ``(..., M, K)``, with orthonormal columns, and ``R``, of
        shape ``(..., K, N)``, upper triangular, with a real diagonal; for the mode
        ``"complete"``, ``K`` is ``M``.  Their product is ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the array has fewer than 2 dimensions, or if there is no such mode.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[3.0, 5.0], [4.0, 0.0]])
    >>> Q, R = xp.linalg.qr(x)
    >>> bool(xp.all(xp.abs(Q @ R - x) < 1e-5))
    True
    """
    tensor, spec = decomposable("qr", x)
    if mode not in ("reduced", "complete"):
        hint = relaxed.HINT if mode == "r" else ""  # type: ignore[comparison-overlap]
        raise ValueError(f"qr: mode must be 'reduced' or 'complete', got {mode!r}.{hint}")
    q, r = ops.qr.on(spec)(tensor, mode)
    return QRResult(wrap(q, spec), wrap(r, spec))


@refusing
def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """Calculate the singular value decomposition of a matrix, or of each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, N)``.
    full_matrices : bool
        Whether ``U`` and ``Vh`` are square, or have only the ``K = min(M, N)`` vectors that go
        with a singular value.

    Returns
    -------
    SVDResult
        A named tuple of ``U``, of shape ``(..., M, M)`` or ``(..., M, K)``, with orthonormal
        columns, ``S``, of shape ``(..., K)``, real and in descending order, and ``Vh``, of shape
        ``(..., N, N)`` or ``(..., K, N)``, with orthonormal rows.  NaN for a matrix with NaN or
        an infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the array has fewer than 2 dimensions.
    LinAlgError
        If the algorithm does not converge.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> U, S, Vh = xp.linalg.svd(x, full_matrices=False)
    >>> S
    Array([3., 2.], dtype=float32, device='cpu')
    >>> U.shape, Vh.shape
    ((3, 2), (2, 2))
    """
    tensor, spec = decomposable("svd", x)
    full_matrices = as_bool("svd", full_matrices, "full_matrices")
    u, s, vh = compute(ops.svd, spec, tensor, full_matrices=full_matrices)
    return SVDResult(wrap(u, spec), wrap(s, spec.real), wrap(vh, spec))


@refusing
def svdvals(x: Array, /) -> Array:
    """Calculate the singular values of a matrix, or of each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, N)``.

    Returns
    -------
    Array
        The singular values, in descending order, of shape ``(..., min(M, N))`` and of the real
        data type of the precision of ``x``.  NaN for a matrix with NaN or an infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the array has fewer than 2 dimensions.
    LinAlgError
        If the algorithm does not converge.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.svdvals(xp.asarray([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    Array([3., 2.], dtype=float32, device='cpu')
    """
    tensor, spec = decomposable("svdvals", x)
    return wrap(compute(ops.svdvals, spec, tensor), spec.real)
