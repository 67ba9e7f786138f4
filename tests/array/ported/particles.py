"""Particles that repel one another in a box with walls; the fast cool, those outside turn back."""

import numpy as np


def start(n):
    t = np.arange(n)
    pos = np.column_stack([np.mod(t * 0.618, 1), np.mod(t * 0.414, 1)])
    vel = 0.5 * np.stack([np.cos(2.1 * t), np.sin(1.3 * t)], axis=1)
    return pos, vel, np.ones(n)


def run():
    pos, vel, mass = start(30)
    alive = np.ones(len(pos), dtype=bool)
    for _ in range(12):
        d = pos[:, np.newaxis] - pos
        r2 = (d**2).sum(-1) + 1e-3
        np.fill_diagonal(r2, np.inf)
        force = (d / r2[..., None] ** 1.5 * mass[None, :, None]).sum(axis=1)
        vel += 0.02 * 1e-4 * force
        pos += 0.02 * vel
        out = (pos < 0) | (pos > 1)
        vel[out] *= -1
        pos = np.clip(pos, 0, 1)
        fast = np.argsort(-np.linalg.norm(vel, axis=1))[:4]
        vel[fast] *= 0.9
        alive &= np.hypot(*(pos - 0.5).T) > 0.08
        if not alive.all():
            pos, vel, mass = pos[alive], vel[alive], mass[alive]
            alive = np.ones(len(pos), dtype=bool)
    energy = 0.5 * (mass * (vel**2).sum(1)).sum()
    cells = (pos * 4).astype(int)
    counts = np.zeros((5, 5), dtype=int)
    np.add.at(counts, (cells[:, 0], cells[:, 1]), 1)
    return pos, vel, float(energy), counts, f"{len(pos)} left, {energy:.6f}"
