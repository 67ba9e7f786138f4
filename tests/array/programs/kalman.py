"""A Kalman filter and a Rauch-Tung-Striebel smoother for a body that is thrown."""

import numpy as np


def model(dt, noise):
    transition = np.eye(4)
    transition[0, 2] = transition[1, 3] = dt
    g = np.array([[dt**2 / 2, 0], [0, dt**2 / 2], [dt, 0], [0, dt]])
    return transition, g, noise * np.dot(g, g.T)


def measured(steps, dt):
    """Where it is seen: with errors, and sometimes not at all."""
    t = np.arange(steps) * dt
    path = np.column_stack((30 * t, 40 * t - 9.81 * t**2 / 2))
    errors = np.stack([np.sin(13.7 * t), np.cos(29.1 * t)], axis=-1) * [3.0, 2.0]
    seen = path + errors
    seen[7:10] = np.nan
    return path, seen


def filtered(seen, dt):
    f, g, q = model(dt, 0.5)
    h = np.hstack([np.identity(2), np.zeros((2, 2))])
    r = np.diag([9.0, 4.0])
    push = np.dot(g, np.array([0.0, -9.81]))
    x, p = np.array([0.0, 0.0, 20.0, 20.0]), np.diag(np.full(4, 100.0))
    states, covariances, predicted, likelihood = [], [], [], 0.0
    for z in seen:
        if states:
            x, p = f @ x + push, f @ p @ f.T + q
        predicted.append((x.copy(), p.copy()))
        if not np.any(np.isnan(z)):
            s = h.dot(p).dot(h.T) + r
            gain = np.linalg.solve(s.T, h @ p.T).T
            innovation = z - h @ x
            x = x + gain @ innovation
            joseph = np.eye(4) - gain @ h
            p = joseph @ p @ joseph.T + gain @ r @ gain.T
            sign, logdet = np.linalg.slogdet(s)
            chi2 = innovation @ np.linalg.inv(s) @ innovation
            likelihood -= 0.5 * (logdet + chi2 + 2 * np.log(2 * np.pi))
        states.append(x)
        covariances.append(p)
    return np.array(states), np.array(covariances), predicted, likelihood


def smoothed(states, covariances, predicted, dt):
    f, _, _ = model(dt, 0.5)
    xs, ps = states.copy(), covariances.copy()
    for k in range(len(xs) - 2, -1, -1):
        mean, cov = predicted[k + 1]
        gain = covariances[k] @ f.T @ np.linalg.pinv(cov)
        xs[k] += gain @ (xs[k + 1] - mean)
        ps[k] += gain @ (ps[k + 1] - cov) @ gain.T
    return xs, ps


def run():
    dt = 0.25
    path, seen = measured(33, dt)
    states, covariances, predicted, likelihood = filtered(seen, dt)
    xs, ps = smoothed(states, covariances, predicted, dt)
    rms = [np.sqrt(np.nanmean((a[:, :2] - path) ** 2)) for a in (seen, states, xs)]
    sigma = np.sqrt(np.diagonal(ps, axis1=1, axis2=2))
    trusted = np.all(np.abs(xs[:, :2] - path) < 4 * sigma[:, :2], axis=1).mean()
    landing = np.interp(0.0, -xs[20:, 1], xs[20:, 0])
    report = "rms " + ", ".join(f"{v:.3f}" for v in rms)
    return states, xs, sigma, likelihood, np.array(rms), trusted, landing, report
