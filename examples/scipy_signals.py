"""SciPy on arrays of any namespace: read digits that have moved, and describe their shapes.

Once ``SCIPY_ARRAY_API`` is set, SciPy computes in the namespace of the arrays that it is given.
The functions of `scipy.fft`, `scipy.signal`, `scipy.special`, `scipy.integrate` and `scipy.stats`
that are used here are written against the standard, so that the arrays stay on their device from
one to the next. `scipy.ndimage` is compiled code that knows host memory alone: `count_holes` shows
the way there and back.

Run it with ``python examples/scipy_signals.py --device cpu --dtype float32``.
"""

from __future__ import annotations

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy looks at this once, when it is imported.

import sys
from typing import TYPE_CHECKING

import numpy as np
from scipy import fft, integrate, ndimage, signal, special, stats
from side_by_side import (
    Array,
    Comparison,
    Recorder,
    Setting,
    choice,
    compare,
    conclude,
    header,
    parse_setting,
    rounding,
    table,
    to_numpy,
)
from sklearn.datasets import load_digits

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLE = "SciPy: read digits that have moved, and describe their shapes"

SIZE = 16  # The 8 x 8 images are put into frames of 16 x 16 pixels, where they have room to move.
TRAINING = 898  # The first half of the images teaches, the second is read.

# What amplifies rounding errors here, rounded up: the sizes of what is added or subtracted over the
# size of what remains.
LIKELIHOOD_CONDITION = 16  # a frequency's mean over its standard deviation, among one digit
TERMS_CONDITION = 7  # the terms of a divergence over the largest divergence of two spectra
LOGARITHMS_CONDITION = 155  # the entropy of a spectrum over the same: logarithms are subtracted
STANDARD_CONDITION = 10  # a feature's mean over its standard deviation
SKEWNESS_CONDITION = 15  # cubes, the positive and the negative of which nearly cancel
KURTOSIS_CONDITION = 28  # fourth powers, from the mean of which 3 is subtracted
DIRECTION_CONDITION = 3  # vectors of unit length over that of their mean


def analyse(images: Array, digits: Array, record: Recorder) -> None:
    """Read the digits in three ways, in place and moved; then describe their shapes."""
    xp = images.__array_namespace__()
    framed = frame(images)
    test_digits = digits[TRAINING:]
    # Exact zeros and ones in the dtype of the images: a matrix to average over each digit with.
    everyone = xp.arange(10, dtype=digits.dtype, device=digits.device)
    members = xp.astype(digits[:, None] == everyone[None, :], images.dtype)

    train, test = framed[:TRAINING, ...], framed[TRAINING:, ...]
    moved = xp.roll(test, (2, 3), axis=(1, 2))
    read_by_templates(
        images[:TRAINING, ...], test, moved, members[:TRAINING, :], test_digits, record
    )
    read_by_spectra(train, test, moved, members[:TRAINING, :], test_digits, record)
    compare_spectra(framed, members, record)
    describe_shapes(framed, members, record)
    with record.stage("holes (on the host)"):
        record.keep("number of holes", count_holes(framed), growth=0)


def read_by_templates(
    train: Array, test: Array, moved: Array, members: Array, digits: Array, record: Recorder
) -> None:
    """Read an image as the digit whose mean image it resembles most."""
    xp = train.__array_namespace__()
    with record.stage("templates (signal)"):
        patterns = xp.reshape(mean_of_each_digit(flatten(train), members), (10, 8, 8))
        patterns = patterns - xp.mean(patterns, axis=(1, 2), keepdims=True)
        patterns = patterns / xp.sqrt(xp.sum(patterns**2, axis=(1, 2), keepdims=True))
        for name, images in (("in place", test), ("moved", moved)):
            # The cross-correlation tells how well each pattern fits at each place.
            fit = signal.fftconvolve(
                images[:, None, :, :],
                xp.flip(patterns, axis=(1, 2))[None, :, :, :],
                axes=(2, 3),
            )
            record.keep(f"templates, {name}: fit", fit, growth=rounding(TRAINING))
            assess(f"fixed template, {name}", fit[:, :, 7, 7], digits, rounding(TRAINING), record)
            best = xp.max(fit, axis=(2, 3))
            assess(f"best template, {name}", best, digits, rounding(TRAINING), record)


def read_by_spectra(
    train: Array, test: Array, moved: Array, members: Array, digits: Array, record: Recorder
) -> None:
    """Read an image by its spatial frequencies, without asking where they are."""
    xp = train.__array_namespace__()
    growth = rounding(TRAINING // 10, LIKELIHOOD_CONDITION)  # A tenth of the images show a digit.
    with record.stage("spectra (fft, special)"):
        spectra = amplitude_spectrum(train)
        for name, images in (("in place", test), ("moved", moved)):
            likelihood = log_likelihood(spectra, amplitude_spectrum(images), members)
            record.keep(f"spectrum, {name}: log-likelihood", likelihood, growth=growth)
            correct = assess(f"spectrum, {name}", likelihood, digits, growth, record)
            # Probabilities: errors of the logarithms, which are of this size, become relative ones.
            size = float(xp.max(xp.abs(likelihood)))
            posterior = special.softmax(likelihood, axis=1)
            record.keep(f"spectrum, {name}: probability", posterior, growth=growth * size)

    with record.stage("bootstrap (stats)"):
        # How much would the accuracy vary with other test images?
        resampled = stats.bootstrap(
            (correct,), mean, n_resamples=500, method="percentile", rng=0, batch=100
        )
        low, high = resampled.confidence_interval
        record.keep(
            "spectrum, moved: confidence interval",
            xp.stack([low, high]),
            growth=rounding(correct.shape[0]),
            decision=choice(likelihood, growth),
        )


def compare_spectra(images: Array, members: Array, record: Recorder) -> None:
    """Find the digits with the most similar spectra, by the Jensen-Shannon divergence."""
    with record.stage("divergences (special)"):
        xp = images.__array_namespace__()
        spectra = mean_of_each_digit(amplitude_spectrum(images), members)
        record.keep("mean spectra", spectra, growth=rounding(images.shape[0]))
        one, other = spectra[:, None, :], spectra[None, :, :]
        middle = (one + other) / 2
        divergence = special.rel_entr(one, middle) + special.rel_entr(other, middle)
        record.keep(
            "divergences of the spectra",
            xp.sum(divergence, axis=2) / 2,
            growth=rounding(images.shape[0], TERMS_CONDITION) + LOGARITHMS_CONDITION,
        )


def describe_shapes(images: Array, members: Array, record: Recorder) -> None:
    """Measure the shapes of the digits, and say how each digit deviates from the average."""
    xp = images.__array_namespace__()
    with record.stage("shapes (signal, integrate)"):
        # In the middle of the frame, there is nothing but paper at its borders.
        images = xp.roll(images, (4, 4), axis=(1, 2))
        rows = integrate.trapezoid(images, axis=2)
        ink = integrate.trapezoid(rows, axis=1)
        # The ink down to each height, at eight times as many heights as there are rows. Height 60
        # lies between the fourth and the fifth row of the original image; the first entry belongs
        # to height 1. (With `initial=0` it would be height 0, but SciPy 1.17 makes that zero on the
        # default device, wherever the array is.)
        fine = xp.clip(signal.resample(rows, 8 * SIZE, axis=1), min=0.0)
        down_to = integrate.cumulative_trapezoid(fine, axis=1)
        upper_share = down_to[:, 59] / down_to[:, -1]

        # The second moments of the ink give the ellipse of the same extent: how elongated is it,
        # and how far is its long axis from upright?
        places = xp.arange(SIZE, dtype=images.dtype, device=images.device)
        columns = integrate.trapezoid(images, axis=1)
        x = places - (columns @ places / ink)[:, None]
        y = places - (rows @ places / ink)[:, None]
        xx = xp.vecdot(columns, x**2) / ink
        yy = xp.vecdot(rows, y**2) / ink
        xy = xp.sum(images * x[:, None, :] * y[:, :, None], axis=(1, 2)) / ink
        axes = xp.stack([yy - xx, -2 * xy], axis=1) / (xx + yy)[:, None]
        elongation = xp.linalg.vector_norm(axes, axis=1)
        for name, feature in (("ink", ink), ("upper shares", upper_share), ("axes", axes)):
            record.keep(name, feature, growth=rounding(SIZE * SIZE))

    with record.stage("statistics (stats)"):
        count = images.shape[0]
        standard = stats.zscore(xp.stack([ink, upper_share, elongation], axis=1), axis=0)
        record.keep(
            "z-scores of the digits",
            mean_of_each_digit(standard, members),
            growth=rounding(count, STANDARD_CONDITION),
        )
        record.keep(
            "skewness", stats.skew(standard, axis=0), growth=rounding(count, SKEWNESS_CONDITION)
        )
        record.keep(
            "kurtosis", stats.kurtosis(standard, axis=0), growth=rounding(count, KURTOSIS_CONDITION)
        )
        shares = xp.asarray([0.05, 0.5, 0.95], dtype=images.dtype, device=images.device)
        record.keep(
            "quantiles of the ink", stats.quantile(ink, shares), growth=rounding(SIZE * SIZE)
        )

        # The angles of the long axes are averaged as directions: as numbers, 179 degrees and 1
        # degree would be far apart. The vectors in `axes` have twice the angle to the upright.
        directions = [
            stats.directional_stats(axes[members[:, digit] == 1.0], normalize=False)
            for digit in range(10)
        ]
        growth = rounding(count, DIRECTION_CONDITION)
        mean_directions = xp.stack([d.mean_direction for d in directions])
        record.keep("mean directions", mean_directions, growth=growth)
        lengths = xp.stack([d.mean_resultant_length for d in directions])
        record.keep("mean resultant lengths", lengths, growth=growth)


def count_holes(images: Array) -> Array:
    """Count the parts of the paper in each image that ink encloses: one in a 0, two in an 8.

    `scipy.ndimage` takes an array of another namespace only if NumPy can view its memory, which it
    cannot if the array is on a device. So the array is copied to the host, and the result back.
    """
    xp = images.__array_namespace__()
    paper = to_numpy(images) < 4
    # A border, so that the paper around a digit is one part. Neighbours are those in the same
    # image: the planes before and after it hold other images.
    paper = np.pad(paper, ((0, 0), (1, 1), (1, 1)), constant_values=True)
    within = np.zeros((3, 3, 3), dtype=bool)
    within[1] = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    parts, _ = ndimage.label(paper, structure=within)
    # Parts are numbered from image to image, so that the increase of the highest number tells how
    # many an image has; one of them is the paper around the digit.
    holes = np.diff(parts.max(axis=(1, 2)), prepend=0) - 1
    return xp.asarray(holes.astype(np.int64), device=images.device)


# --- Small parts ------------------------------------------------------------------------------


def frame(images: Array) -> Array:
    """Put every image in the upper left corner of a larger, blank frame."""
    xp = images.__array_namespace__()
    framed = xp.zeros((images.shape[0], SIZE, SIZE), dtype=images.dtype, device=images.device)
    framed[:, : images.shape[1], : images.shape[2]] = images
    return framed


def flatten(images: Array) -> Array:
    """Lay the pixels of each image out in a row."""
    xp = images.__array_namespace__()
    return xp.reshape(images, (images.shape[0], -1))


def mean(values: Array, axis: int) -> Array:
    """Average values of whatever namespace."""
    return values.__array_namespace__().mean(values, axis=axis)


def mean_of_each_digit(values: Array, members: Array) -> Array:
    """Average the values over the images of each digit: a matrix product does it without a loop."""
    xp = values.__array_namespace__()
    return (members.T @ values) / xp.sum(members, axis=0)[:, None]


def amplitude_spectrum(images: Array) -> Array:
    """Return the share of each spatial frequency in an image.

    A digit that moves changes the phases of its Fourier transform, and leaves the amplitudes alone.
    """
    xp = images.__array_namespace__()
    amplitude = flatten(xp.abs(fft.rfft2(images)))
    return amplitude / xp.sum(amplitude, axis=1, keepdims=True)


def log_likelihood(train: Array, test: Array, members: Array) -> Array:
    """Return the logarithm of each digit's probability, normalised, for independent features."""
    xp = train.__array_namespace__()
    center = mean_of_each_digit(train, members)
    # The variance of the features of each digit, with a floor for those that hardly vary.
    variance = mean_of_each_digit((train - members @ center) ** 2, members)
    variance = variance + 0.01 * xp.mean(variance)
    deviation = (test[:, None, :] - center) ** 2 / variance
    prior = xp.log(xp.mean(members, axis=0))
    joint = prior - 0.5 * xp.sum(deviation + xp.log(variance), axis=2)
    return joint - special.logsumexp(joint, axis=1, keepdims=True)


def assess(name: str, scores: Array, digits: Array, growth: float, record: Recorder) -> Array:
    """Record which digits have the best scores; return 1 for those that are right, 0 for others."""
    xp = scores.__array_namespace__()
    decision = choice(scores, growth)
    predicted = xp.argmax(scores, axis=1)
    record.keep(f"{name}: digits", predicted, growth=0, decision=decision)
    correct = xp.astype(predicted == digits, scores.dtype)
    accuracy = xp.mean(correct)
    record.keep(f"{name}: accuracy", accuracy, growth=rounding(correct.shape[0]), decision=decision)
    return correct


# --- What it says -----------------------------------------------------------------------------


def findings(record: Recorder) -> str:
    """Say in words what came out."""
    low, high = record["spectrum, moved: confidence interval"]
    readers = table(
        ["accuracy of reading by", "in place", "moved"],
        [
            [
                reader,
                f"{record[f'{reader}, in place: accuracy']:.1%}",
                f"{record[f'{reader}, moved: accuracy']:.1%}",
            ]
            for reader in ("fixed template", "best template", "spectrum")
        ],
    )
    divergences = record["divergences of the spectra"]
    apart = divergences + np.where(np.eye(10, dtype=bool), np.inf, 0.0)
    alike = np.unravel_index(np.argmin(apart), apart.shape)
    unlike = np.unravel_index(np.argmax(divergences), apart.shape)
    scores, directions = record["z-scores of the digits"], record["mean directions"]
    degrees = np.degrees(np.arctan2(directions[:, 1], directions[:, 0])) / 2
    digits = load_digits().target
    shapes = table(
        ["digit", "ink (z)", "upper share (z)", "elongation (z)", "slant", "holes"],
        [
            [
                str(digit),
                *(f"{scores[digit, k]:+.2f}" for k in range(3)),
                f"{degrees[digit]:+.0f} deg",
                f"{record['number of holes'][digits == digit].mean():.2f}",
            ]
            for digit in range(10)
        ],
    )
    return (
        f"{readers}\n\n"
        f"The spectrum of a moved digit is that of the digit; 95% confidence interval of the\n"
        f"accuracy: {low:.1%} to {high:.1%}. The most similar spectra are those of {alike[0]} and "
        f"{alike[1]}, the least\nsimilar those of {unlike[0]} and {unlike[1]}.\n\n{shapes}"
    )


def run(setting: Setting) -> Comparison:
    """Analyse the digits bundled with scikit-learn, on NumPy and in the setting."""
    digits = load_digits()
    return compare(TITLE, analyse, digits.images, digits.target, setting)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; the exit status tells whether the outcomes agree."""
    setting = parse_setting(argv, description=TITLE)
    print(header(setting))
    comparison = run(setting)
    return 0 if conclude(comparison, findings(comparison.run)) else 1


if __name__ == "__main__":
    sys.exit(main())
