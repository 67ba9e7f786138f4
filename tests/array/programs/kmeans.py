"""k-means with several starts, and what it says of three clouds of points."""

import numpy as np


def clouds(count):
    """Points around three centres, on spirals."""
    turn = np.linspace(0, 8 * np.pi, count)
    radius = 0.1 + 0.9 * np.linspace(0, 1, count) ** 2
    spiral = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    centres = np.array([[0.0, 0.0], [4.0, 1.0], [-1.0, 5.0]])
    return np.concatenate([centre + spiral for centre in centres])


def distances(points, centres):
    difference = points[:, np.newaxis, :] - centres[np.newaxis, :, :]
    return np.sqrt((difference**2).sum(axis=-1))


def start(points, k, offset):
    """The first centre is given; each other is the point farthest from those before."""
    centres = points[[offset]]
    while len(centres) < k:
        nearest = distances(points, centres).min(axis=1)
        centres = np.vstack([centres, points[np.argmax(nearest)]])
    return centres


def kmeans(points, k, offset, rounds=50, tolerance=1e-9):
    centres = start(points, k, offset)
    labels = np.zeros(len(points), dtype=int)
    for _ in range(rounds):
        labels = np.argmin(distances(points, centres), 1)
        updated = centres.copy()
        for j in range(k):
            members = points[labels == j]
            if members.size > 0:
                updated[j] = members.mean(axis=0)
        moved = np.linalg.norm(updated - centres, axis=1).max()
        centres = updated
        if moved < tolerance:
            break
    inertia = np.sum(np.take_along_axis(distances(points, centres), labels[:, None], 1) ** 2)
    return centres, labels, inertia


def silhouette(points, labels, k):
    """The mean silhouette of the points."""
    between = distances(points, points)
    means = np.column_stack([between[:, labels == j].mean(1) for j in range(k)])
    own = means[np.arange(len(points)), labels] * np.bincount(labels)[labels]
    own /= np.bincount(labels)[labels] - 1
    means[np.arange(len(points)), labels] = np.inf
    other = means.min(axis=1)
    return np.mean((other - own) / np.maximum(own, other))


def run():
    points = clouds(40)
    runs = [kmeans(points, 3, offset) for offset in (0, 25, 90)]
    centres, labels, inertia = min(runs, key=lambda r: r[2])
    order = np.lexsort((centres[:, 1], centres[:, 0]))
    counts = np.bincount(labels, minlength=3)[order]
    spread = np.array([points[labels == j].std(0, ddof=1) for j in order])
    score = silhouette(points, labels, 3)
    report = f"inertia {inertia:.4f}, silhouette {score:.4f}, sizes {counts.tolist()}"
    return centres[order], counts, spread, inertia, score, report
