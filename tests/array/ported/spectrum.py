"""The power spectrum of a signal by windows that overlap, and its two highest peaks."""

import numpy as np


def run():
    rate = 1000
    t = np.arange(0, 2, 1 / rate)
    x = np.sin(2 * np.pi * 50 * t) + 0.5 * np.sin(2 * np.pi * 120 * t) + 0.1 * np.cos(t * t * 999)
    window, hop = np.hanning(256), 128
    starts = np.arange(0, x.size - 256 + 1, hop)
    frames = x[starts[:, None] + np.arange(256)] * window
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2 / (rate * (window**2).sum())
    power[:, 1:-1] *= 2
    density = power.mean(0)
    frequencies = np.fft.rfftfreq(256, 1 / rate)
    inner = density[1:-1]
    peaks = np.where((inner > density[:-2]) & (inner > density[2:]))[0] + 1
    top = peaks[np.argsort(density[peaks])[::-1][:2]]
    decibels = 10 * np.log10(density[top])
    report = f"peaks at {sorted(frequencies[top].tolist())}: {decibels.round(2).tolist()} dB"
    return density, frequencies, peaks, top, decibels, report
