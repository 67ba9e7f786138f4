"""The coefficients of expansions that a recurrence gives."""

from __future__ import annotations

from decimal import Decimal, localcontext


def temme(*lengths: int) -> tuple[tuple[float, ...], ...]:
    """Return the coefficients of powers of eta in Temme's expansion, for each power of 1 / a.

    https://dlmf.nist.gov/8.12.E10 and the following, where lambda - 1 = mu, and
    mu - log(1 + mu) = eta**2 / 2.  With 50 digits the results are rounded once.
    """
    size = max(length + 2 * k for k, length in enumerate(lengths)) + 2
    with localcontext() as context:
        context.prec = 50
        # mu = eta (1 + a1 eta + ...), by the derivative of the equation: eta (1 + mu) = mu mu'.
        a, inverse = [Decimal(1)], [Decimal(1)]  # and eta / mu
        for n in range(1, size):
            inner = sum(a[j] * a[n - j] * (j + 1) for j in range(1, n))
            a.append((a[n - 1] - inner) / (n + 2))
            inverse.append(sum((-a[k] * inverse[n - k] for k in range(1, n + 1)), Decimal()))
        # The first row is 1 / mu - 1 / eta.  Each other one is the derivative of the row before,
        # divided by eta, plus a coefficient of the gamma function (https://dlmf.nist.gov/5.11.E5),
        # divided by mu.
        rows, odd = [inverse[1:]], 1
        for k in range(1, len(lengths)):
            odd *= 1 - 2 * k
            gamma = (2 * k + 1) * odd * a[2 * k]
            pairs = zip(rows[-1][2:], inverse[1:])
            rows.append([n * c + gamma * i for n, (c, i) in enumerate(pairs, 2)])
    return tuple(tuple(map(float, row[:length])) for row, length in zip(rows, lengths))
