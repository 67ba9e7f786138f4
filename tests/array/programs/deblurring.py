"""A blurred picture made sharp again: Wiener's filter, and Richardson's and Lucy's iteration."""

import numpy as np


def picture(n):
    y, x = np.mgrid[0:n, 0:n]
    image = np.zeros((n, n))
    image[n // 8 : n // 2, n // 8 : n // 3] = 1.0
    disk = (x - 0.7 * n) ** 2 + (y - 0.6 * n) ** 2 < (n / 6) ** 2
    image[disk] = 0.75
    image += 0.25 * np.exp(-((x - n / 2) ** 2 + (y - n / 5) ** 2) / (2 * (n / 16) ** 2))
    return np.clip(image, 0, 1)


def kernel(n, sigma):
    t = np.arange(n) - n // 2
    line = np.exp(-(t**2) / (2 * sigma**2))
    k = np.outer(line, line)
    return np.fft.ifftshift(k / k.sum())


def convolved(image, transfer):
    return np.real(np.fft.ifft2(np.fft.fft2(image) * transfer))


def wiener(blurred, transfer, noise):
    power = np.abs(transfer) ** 2
    return np.fft.irfft2(
        np.fft.rfft2(blurred)
        * (np.conj(transfer) / (power + noise))[:, : blurred.shape[1] // 2 + 1],
        s=blurred.shape,
    )


def richardson_lucy(blurred, transfer, rounds):
    estimate = np.full(blurred.shape, 0.5)
    for _ in range(rounds):
        ratio = np.divide(blurred, np.maximum(convolved(estimate, transfer), 1e-12))
        estimate *= convolved(ratio, transfer.conj())
        np.clip(estimate, 0.0, None, out=estimate)
    return estimate


def psnr(a, b):
    return 10 * np.log10(1.0 / np.mean(np.square(a - b)))


def radial(image, bins):
    """The mean power of the spectrum by distance from the middle."""
    n = image.shape[0]
    spectrum = np.abs(np.fft.fftshift(np.fft.fft2(image))) ** 2
    i, j = np.indices((n, n)) - n // 2
    radius = np.hypot(i, j).ravel()
    which = np.digitize(radius, np.linspace(0, n / 2, bins + 1)) - 1
    inside = which < bins
    total = np.bincount(which[inside], weights=spectrum.ravel()[inside], minlength=bins)
    return total / np.maximum(np.bincount(which[inside], minlength=bins), 1)


def run():
    n = 32
    image = picture(n)
    transfer = np.fft.fft2(kernel(n, 1.5))
    grain = 0.002 * np.sin(np.arange(n * n) * 2.39996).reshape(n, n)
    blurred = convolved(image, transfer) + grain
    results = {
        "blurred": blurred,
        "wiener": wiener(blurred, transfer, 1e-3),
        "lucy": richardson_lucy(np.clip(blurred, 1e-6, None), transfer, 30),
    }
    scores = np.array([psnr(image, result) for result in results.values()])
    best = list(results)[int(np.argmax(scores))]
    edges = np.gradient(results[best])
    steep = np.sqrt(edges[0] ** 2 + edges[1] ** 2)
    counts, limits = np.histogram(steep, bins=8, range=(0, 1))
    padded = np.pad(results["wiener"], 2, mode="reflect")
    quarters = np.percentile(padded, [25, 50, 75])
    report = f"{best}: {scores.max():.2f} dB, gained {np.ptp(scores):.2f}"
    return *results.values(), scores, counts, limits, quarters, radial(image, 6), report
