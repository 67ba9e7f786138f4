"""Linear algebra extension.

https://data-apis.org/array-api/2023.12/extensions/linear_algebra_functions.html
"""

from .._linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from ._checks import LinAlgError as LinAlgError
from ._decompositions import (
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    qr,
    svd,
    svdvals,
)
from ._norms import matrix_norm, vector_norm
from ._products import cross, diagonal, matrix_power, outer, trace
from ._systems import (
    det,
    inv,
    lstsq,
    matrix_rank,
    pinv,
    slogdet,
    solve,
)

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
