"""Systems of linear equations: solutions, inverses, determinants and ranks."""

from __future__ import annotations

from typing import Final, NamedTuple

from .._arrays.array import Array, wrap
from .._arrays.axes import as_number
from .._calls.operands import array_operands
from .._calls.plainest import plainest
from .._chapters.linear_algebra import check_stacks, matmul
from .._errors.foreign_calls import refusing
from .._routes import linear_algebra as ops
from .._torch import torch
from .._torch.dtypes import COMPLEX
from ._checks import compute, decomposable, relative_tolerance, square

__all__ = ["det", "inv", "matrix_rank", "pinv", "slogdet", "solve"]

SINGULAR: Final = "a matrix is singular. Use pinv() for the pseudo-inverse."


class LstsqResult(NamedTuple):
    """The result of ``lstsq``."""

    x: Array
    """The solutions of least squares and, among these, of least norm."""
    residuals: Array
    """The sums of squared residuals, one for each right-hand side; otherwise empty."""
    rank: Array
    """The number of singular values that are not negligible, in 0 dimensions."""
    s: Array
    """The singular values, in descending order."""


class SlogdetResult(NamedTuple):
    """The result of ``slogdet``."""

    sign: Array
    """The signs of the determinants, 0 for determinants of 0; complex of size 1 if x is complex."""
    logabsdet: Array
    """The natural logarithms of their absolute values."""


@refusing
def det(x: Array, /) -> Array:
    """Calculate the determinant of a square matrix, or of each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, M)``.

    Returns
    -------
    Array
        The determinants, of shape ``(...)``; 1 for a matrix without rows.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the matrices are not square.

    See Also
    --------
    slogdet : For determinants that are too large or too small for their data type.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    Array(8., dtype=float32, device='cpu')
    """
    tensor, spec = square("det", x)
    return wrap(ops.det.on(spec)(tensor), spec)


@refusing
def inv(x: Array, /) -> Array:
    """Invert a square matrix, or each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, M)``.

    Returns
    -------
    Array
        The inverses, of the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the matrices are not square.
    LinAlgError
        If a matrix is found to be singular; on an accelerator when the option ``checks`` says.

    Notes
    -----
    Until an accelerator's error is raised, the inverse of a singular matrix is NaN.

    A matrix is found to be singular if an exact zero turns up where its factors are divided by.
    If a row or a column is 0, that is so on every device.  Of other singular matrices rounding
    decides, and so the processor: in place of the zero there may be a number of the size of its
    error.  The inverse is huge then: its norm is about ``1 / (eps * norm(x))``, or larger, with the
    ``eps`` of the data type.  Where that matters, ask ``matrix_rank``.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.inv(xp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    Array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32, device='cpu')
    """
    tensor, spec = square("inv", x)
    inverse = compute(ops.inv, spec, tensor, failure=SINGULAR)
    return wrap(inverse, spec)


@refusing
def lstsq(a: Array, b: Array, /, rcond: float | None = None) -> LstsqResult:
    """Solve systems of linear equations as nearly as can be, in the sense of least squares.

    Parameters
    ----------
    a : Array
        The coefficients: an array of one of float32, float64, complex64 and complex128, of shape
        ``(M, N)``.
    b : Array
        The right-hand sides: an array of such a data type, of shape ``(M,)``, or ``(M, K)`` where
        each column is one.
    rcond : float, optional
        Singular values of ``a`` up to ``rcond`` times the greatest one count as 0.  By default
        ``max(M, N)`` times the machine epsilon of the data type; the epsilon if it is not between
        0 and 1.

    Returns
    -------
    LstsqResult
        A named tuple of

        - ``x``, the solutions, of shape ``(N,)`` or ``(N, K)``: those for which the sum of the
          squares of ``b - a @ x`` is least and, among these, the one whose own norm is least;
        - ``residuals``, these sums, of shape ``(1,)`` or ``(K,)``, and of shape ``(0,)`` where
          ``M <= N``;
        - ``rank``, the rank of ``a``, of shape ``()`` and int64;
        - ``s``, the singular values of ``a``, in descending order.

    Raises
    ------
    TypeError
        If an operand is not an array of a data type that is allowed, or ``rcond`` not a number.
    ValueError
        If ``a`` is no matrix, if the shapes do not fit, or if the devices differ.
    LinAlgError
        If the singular values cannot be found; on the CPU only.

    See Also
    --------
    pinv : the pseudo-inverse, by which the solutions are the same, but less exact.
    solve : for square systems of full rank: faster.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.linalg.lstsq.html

    NumPy returns no residuals where ``a`` lacks full rank.  Here the number of residuals does not
    depend on data, and nothing is waited for.  Where ``a`` has NaN or infinities, ``x`` and ``s``
    are NaN and the rank is 0.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> a = xp.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> x, residuals, rank, s = xp.linalg.lstsq(a, xp.asarray([1.0, 3.0, 5.0]))
    >>> xp.round(x)
    Array([1., 2.], dtype=float32, device='cpu')
    >>> rank
    Array(2, dtype=int64, device='cpu')
    """
    t1, t2, spec = array_operands("lstsq", ops.DECOMPOSED, a, b)
    if t1.dim() != 2 or t2.dim() not in {1, 2} or t1.shape[0] != t2.shape[0]:
        raise ValueError(
            "lstsq: expected a matrix and right-hand sides with as many elements as it has rows, "
            f"got shapes {tuple(t1.shape)} and {tuple(t2.shape)}."
        )
    least = torch.finfo(spec.dtype).eps
    if rcond is None:
        rcond = max(t1.shape) * least
    else:
        rcond = as_number("lstsq", rcond, "rcond")
        if not 0 < rcond < 1:  # as in LAPACK, and so in NumPy
            rcond = least
    rcond = float(rcond)
    vector = t2.dim() == 1
    columns = t2.unsqueeze(1) if vector else t2
    solution, rank, values = compute(ops.lstsq, spec, t1, columns, rcond=rcond)
    x = wrap(solution, spec)
    residuals = _squares(wrap(columns, spec) - matmul(wrap(t1, spec), x))
    if t1.shape[0] <= t1.shape[1]:
        residuals = residuals[:0]
    if vector:
        x = wrap(solution.squeeze(1), spec)
    return LstsqResult(x, residuals, wrap(rank, spec.of(rank.dtype)), wrap(values, spec.real))


def _squares(x: Array) -> Array:
    """Return the sum of the squared absolute values of each column."""
    from .._chapters.elementwise import imag, real, square
    from .._chapters.statistical import sum

    parts = (real(x), imag(x)) if x._spec.dtype in COMPLEX else (x,)
    first, *rest = (sum(square(part), axis=0) for part in parts)
    return first + rest[0] if rest else first


@refusing
def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Count the singular values of a matrix, or of each of a stack, that are not negligible.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, N)``.
    rtol : float or Array, optional
        Singular values up to ``rtol`` times the greatest one are negligible.  One for all
        matrices, or an array of a real floating-point data type that broadcasts to ``(...)``.  By
        default ``max(M, N)`` times the machine epsilon of the data type.

    Returns
    -------
    Array
        The ranks, of shape ``(...)`` and of int64; 0 for a matrix with NaN or an infinity, which
        has no singular values.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed, or ``rtol`` not real.
    ValueError
        If the array has fewer than 2 dimensions, if ``rtol`` does not broadcast to the stack, or
        if the devices differ.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.matrix_rank(xp.asarray([[1.0, 2.0], [2.0, 4.0]]))
    Array(1, dtype=int64, device='cpu')
    """
    tensor, spec = decomposable("matrix_rank", x)
    rtol_tensor = relative_tolerance("matrix_rank", tensor, spec, rtol)
    rank = compute(ops.matrix_rank, spec, tensor, rtol_tensor)
    return wrap(rank, spec.of(rank.dtype))


@refusing
def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Calculate the Moore-Penrose pseudo-inverse of a matrix, or of each of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, N)``.
    rtol : float or Array, optional
        Singular values up to ``rtol`` times the greatest one are taken for 0.  One for all
        matrices, or an array of a real floating-point data type that broadcasts to ``(...)``.  By
        default ``max(M, N)`` times the machine epsilon of the data type.

    Returns
    -------
    Array
        The pseudo-inverses, of shape ``(..., N, M)``; NaN for a matrix with NaN or an infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed, or ``rtol`` not real.
    ValueError
        If the array has fewer than 2 dimensions, if ``rtol`` does not broadcast to the stack, or
        if the devices differ.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.pinv(xp.asarray([[2.0, 0.0], [0.0, 0.0]]))
    Array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32, device='cpu')
    """
    tensor, spec = decomposable("pinv", x)
    rtol_tensor = relative_tolerance("pinv", tensor, spec, rtol)
    return wrap(compute(ops.pinv, spec, tensor, rtol_tensor), spec)


@refusing
def slogdet(x: Array, /) -> SlogdetResult:
    """Calculate sign and logarithm of the determinant of a square matrix, or of each of a stack.

    Where the determinant itself would overflow or underflow, its logarithm does not.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, M)``.

    Returns
    -------
    SlogdetResult
        A named tuple of ``sign``, of the data type of ``x``, and ``logabsdet``, of the real data
        type of the same precision, both of shape ``(...)``.  The determinant is
        ``sign * exp(logabsdet)``.  For a determinant of 0 they are 0 and -infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> sign, logabsdet = xp.linalg.slogdet(xp.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign
    Array(-1., dtype=float32, device='cpu')
    >>> logabsdet
    Array(0., dtype=float32, device='cpu')
    """
    tensor, spec = square("slogdet", x)
    sign, logabsdet = ops.slogdet.on(spec)(tensor)
    return SlogdetResult(wrap(sign, spec), wrap(logabsdet, spec.real))


@plainest(
    "x1: array, x2: alike if ndim == 2 and 0 < x2._tensor.dim() < 3",
    "kernel(tensor, x2._tensor) if x2._tensor.dim() == 2 else "
    "kernel(tensor, x2._tensor.unsqueeze(-1)).squeeze(-1)",
    kernel=ops.solve,
)
def solve(x1: Array, x2: Array, /) -> Array:
    """Solve square systems of linear equations.

    Parameters
    ----------
    x1 : Array
        The coefficients: an array of one of float32, float64, complex64 and complex128, of shape
        ``(..., M, M)``.
    x2 : Array
        The right-hand sides: an array of such a data type.  One of 1 dimension is a vector of
        shape ``(M,)``, which goes with each matrix; any other one is a matrix or a stack of
        matrices of shape ``(..., M, K)``, each column of which is a right-hand side.  The stacks,
        ``...``, of both are broadcast.

    Returns
    -------
    Array
        The solutions: of shape ``(..., M)`` where ``x2`` is a vector, else ``(..., M, K)``.

    Raises
    ------
    TypeError
        If an operand is not an array of a data type that is allowed.
    ValueError
        If the matrices of ``x1`` are not square, if the shapes do not fit, or if the devices
        differ.
    LinAlgError
        If a matrix is found to be singular; on an accelerator when the option ``checks`` says.

    Notes
    -----
    Until an accelerator's error is raised, the solution for a singular matrix is NaN.  Which are
    found to be singular, ``inv`` says: for those that are not the solution is huge, as the inverse
    is.

    References
    ----------
    https://data-apis.org/array-api/2024.12/extensions/generated/array_api.linalg.solve.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[2.0, 0.0], [0.0, 4.0]])
    >>> xp.linalg.solve(x, xp.asarray([1.0, 2.0]))
    Array([0.5, 0.5], dtype=float32, device='cpu')
    """
    t1, t2, spec = array_operands("solve", ops.DECOMPOSED, x1, x2)
    square("solve", wrap(t1, spec))
    if not t2.dim():
        raise ValueError(
            "solve: the right-hand side must be a vector or a matrix, got an array of 0 dimensions."
        )
    vector, shape = t2.dim() == 1, tuple(t2.shape)
    if vector:
        t2 = t2.unsqueeze(-1)
    if t2.shape[-2] != t1.shape[-1]:
        raise ValueError(
            f"solve: matrices of shape {tuple(t1.shape)} and right-hand sides of shape "
            f"{shape} do not fit: the columns of the right-hand side must have "
            f"{t1.shape[-1]} elements, not {t2.shape[-2]}."
        )
    if t1.dim() > 2 or t2.dim() > 2:
        check_stacks("solve", tuple(t1.shape), tuple(t2.shape))
        # Given as many dimensions as x1, torch cannot mistake x2 for a stack of vectors.
        t2 = t2[(None,) * (t1.dim() - t2.dim())]
    solution = compute(ops.solve, spec, t1, t2, failure=SINGULAR)
    made = wrap(solution, spec)
    return wrap(solution.squeeze(-1), made._spec) if vector else made
