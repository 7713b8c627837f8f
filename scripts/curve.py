#!/usr/bin/env python3
"""Draws the learning curves of training runs as an SVG picture.

`curve.py LOG.csv [LOG.csv ...] > curve.svg` draws top-1 accuracy, cross-entropy of the policy and Brier score on the
validation samples against the number of training samples, with one line per run. Needs only Python's standard library.
"""

import csv
import os
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 900, 300
LEFT, TOP, BOTTOM, GAP = 55, 50, 45, 70
COLOURS = ("#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad")
# Column of the log, title, factor.
MEASURES = (("top1", "top-1, per cent", 100.0), ("policy", "cross-entropy of the policy", 1.0), ("brier", "Brier score", 1.0))


class LogError(Exception):
    """Unusable log; the message is one line for the user."""


def read(path):
    """Returns the validation rows of a log as (samples, {measure: value})."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row.get("kind") == "valid"]
        points = [(int(row["samples"]), {name: float(row[name]) for name, _, _ in MEASURES}) for row in rows]
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise LogError(f"{path}: not a log of a training run ({error})") from error
    if not points:
        raise LogError(f"{path}: no validation rows")
    return points


def label(number):
    """Formats a number on an axis."""
    return f"{number / 1e6:g}M" if number >= 1e5 else f"{number:.3g}"


def panel(left, width, title, series):
    """Returns the plot of one measure: frame, axis limits, and a line per run."""
    xs = [x for points in series for x, _ in points]
    ys = [y for points in series for _, y in points]
    low, high = min(ys), max(ys)
    margin = 0.05 * (high - low) or 1.0
    low, high, most = low - margin, high + margin, max(xs)
    bottom = HEIGHT - BOTTOM
    out = [f'<text x="{left}" y="{TOP - 12}">{escape(title)}</text>',
           f'<rect x="{left}" y="{TOP}" width="{width}" height="{bottom - TOP}" fill="none" stroke="#999"/>',
           f'<text x="{left - 6}" y="{TOP + 10}" text-anchor="end">{label(high)}</text>',
           f'<text x="{left - 6}" y="{bottom}" text-anchor="end">{label(low)}</text>',
           f'<text x="{left + width}" y="{bottom + 16}" text-anchor="end">{label(most)} samples</text>']
    for points, colour in zip(series, COLOURS * len(series)):
        line = " ".join(f"{left + width * x / most:.1f},{bottom - (bottom - TOP) * (y - low) / (high - low):.1f}"
                        for x, y in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
    return out


def draw(runs):
    """Returns the picture of several runs, given as (name, points)."""
    width = (WIDTH - LEFT - GAP * (len(MEASURES) - 1) - 20) / len(MEASURES)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
           'font-size="11">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for number, (name, _) in enumerate(runs):
        colour = COLOURS[number % len(COLOURS)]
        out.append(f'<text x="{LEFT + 160 * number}" y="18" fill="{colour}">{escape(name)}</text>')
    for number, (name, title, factor) in enumerate(MEASURES):
        series = [[(x, factor * measures[name]) for x, measures in points] for _, points in runs]
        out += panel(LEFT + number * (width + GAP), width, title, series)
    return "\n".join([*out, "</svg>", ""])


def main(paths):
    """Runs the command; reports errors as one line, with status 1."""
    if not paths:
        print("usage: curve.py LOG.csv [LOG.csv ...] > curve.svg", file=sys.stderr)
        return 1
    try:
        runs = [(os.path.basename(os.path.dirname(os.path.abspath(path))), read(path)) for path in paths]
    except LogError as error:
        print(f"curve: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(draw(runs))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
