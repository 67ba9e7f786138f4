"""Edges of a noisy square, the sizes of their pieces, and rows without noise, by SciPy."""

import numpy as np
from scipy import ndimage, signal


def noisy(n):
    image = np.zeros((n, n))
    image[n // 4 : -n // 4, n // 4 : -n // 4] = 1.0
    turns = np.arange(n * n) * 0.7548776662466927
    return image + 0.3 * (turns - np.floor(turns) - 0.5).reshape(n, n)


def run():
    image = noisy(48)
    smooth = ndimage.gaussian_filter(image, 2)
    middle = ndimage.median_filter(image, size=3)
    steep = np.hypot(ndimage.sobel(smooth, axis=0), ndimage.sobel(smooth, axis=1))
    labels, count = ndimage.label(steep > 0.9 * steep.max())
    sizes = np.bincount(labels.ravel())[1:]
    window = np.outer(np.hanning(9), np.hanning(9))
    window /= window.sum()
    blurred = signal.fftconvolve(image, window, mode="same")
    b, a = signal.butter(4, 0.2)
    row = signal.filtfilt(b, a, image[24])
    report = f"{count} edges of {sizes.min()} to {sizes.max()}, mean {blurred.mean():.4f}"
    return middle, steep, sizes, blurred, row, report
