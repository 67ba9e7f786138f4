"""Programs that write to views, and to what they are views of: on a mesh as NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

import ascend_array_api as xp
import ascend_array_api.distributed as xd

A = np.arange(35.0).reshape(7, 5)


def a_slice(x, _):
    v = x[2:6, :]
    v += 100
    return [v]


def a_row(x, _):
    v = x[3, :]
    v *= 2
    v[1:3] = -1
    return [v]


def an_element(x, _):
    v = x[3, 2, ...]
    v -= 50
    return [v]


def a_slice_with_a_step(x, _):
    v = x[::2, 1:]
    v[1, ...] = 0
    w = v[::2, :]
    w += 1
    return [v, w]


def a_view_of_a_view(x, _):
    v = x[2:6, :]
    w = v[1:3, :]
    w += 100
    v[2, :] = 7
    return [v, w]


def a_view_of_a_view_that_is_gone(x, _):
    w = x[2:6, :][1:3, :]
    w += 100
    x *= 2
    return [w]


def a_shape(x, n):
    r = n.reshape(x, (5, 7))
    r[1, 2] = -9
    x[0, 0] = 77
    v = r[1:4, 2:]
    v *= 3
    return [r, v]


def a_shape_of_a_slice(x, n):
    w = n.reshape(x[2:6, :], (-1,))
    w[3:7] = -1
    return [w]


def a_shape_of_columns(x, n):
    v, w, u = (
        n.reshape(x[:, 1:3], (7, 1, 2)),
        n.reshape(x[:, :4], (7, 2, 2)),
        n.reshape(x.T, (5, 7, 1)),
    )
    v += 100
    w[2:4, 1, :] = -1
    u[1:3, 2:, 0] *= 3
    return [v, w, u]


def a_shape_that_copies(x, n):
    r, s = n.reshape(x.T, (7, 5)), n.reshape(x[:, 1:3], (-1,))
    r += 1
    s += 1
    return [r, s]


def the_array_itself(x, _):
    v, w = x[2:6, :], x[1, :]
    x += 1
    x[1:4, 2:] = 0
    x[x > 20] = -3
    return [v, w]


def overlapping_slices(x, _):
    v, w = x[0:5, :], x[3:7, :]
    v += 1
    w *= 3
    return [v, w]


def overlapping_slices_of_what_is_gone(x, _):
    y = x + 0
    v, w, u = y[0:5, :], y[3:7, :], y[6, :]
    del y
    v += 1
    w *= 3
    return [v, w, u]


def overlapping_shapes_of_what_is_gone(x, n):
    y = x + 0
    r, s = n.reshape(y, (5, 7)), n.reshape(y, (35,))
    v, w = n.reshape(y[0:5, :], (25,)), n.reshape(y[3:7, :], (5, 4))
    del y
    v[2:17] += 100
    w[1:, ...] *= 3
    s[3:30:2] -= 7
    r[1:3, 2:] = -9
    return [r, s, v, w]


def a_transpose(x, _):
    v = x.T[1:4, 2:6]
    v -= 1
    return [v]


def rows_one_by_one(x, _):
    for row in x:
        row *= 2
    return []


def a_sum_into_a_slice(x, _):
    x[2:5, :] += x[0:3, :]
    x[4, :] += 1
    x[1:3, 2:4] -= 7
    return []


def a_new_array_for_the_old_one(x, _):
    y = x * 1
    y = y[1:, :]
    y += 1
    return [y]


PROGRAMS = [f for name, f in list(globals().items()) if getattr(f, "__module__", "") == __name__]


def differences(device: Any) -> list[str]:
    """Return the programs that do something else on a device than with NumPy."""
    wrong = []
    for axis in (0, 1):
        for program in PROGRAMS:
            x, a = xd.shard(A, axis, device=device), A.copy()
            with xp.options(gather="allow"):
                own, expected = program(x, xp), program(a, np)
                same = [np.array_equal(xd.gather(y), b) for y, b in zip([x, *own], [a, *expected])]
            if not all(same):
                wrong.append(f"{program.__name__}, axis {axis}: {same}")
    return wrong
