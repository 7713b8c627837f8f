#!/usr/bin/env python3
"""Writes a small random net in Leela Zero's text format, with a policy sharp enough to compare.

    scripts/tests/clients/leela_zero_net.py FILE [SEED]

Needs only Python's standard library.
"""

import random
import sys

PLANES, POINTS = 18, 361
CHANNELS, BLOCKS = 8, 2
POLICY_CHANNELS, VALUE_CHANNELS, HIDDEN = 2, 1, 256


def lines(rng):
    """Returns the tensors in file order, one per line."""
    def tensor(count, scale, mean=0.0):
        return " ".join(f"{rng.gauss(mean, scale):.6g}" for _ in range(count))

    def convolution(inputs, outputs, side):
        taps = inputs * side * side
        yield tensor(outputs * taps, (2 / taps) ** 0.5)
        yield tensor(outputs, 0.2)
        yield tensor(outputs, 0.2)
        yield " ".join(f"{rng.uniform(0.5, 1.5):.6g}" for _ in range(outputs))

    def linear(inputs, outputs, gain):
        yield tensor(inputs * outputs, gain / inputs ** 0.5)
        yield tensor(outputs, 0.2)

    yield "1"
    yield from convolution(PLANES, CHANNELS, 3)
    for _ in range(2 * BLOCKS):
        yield from convolution(CHANNELS, CHANNELS, 3)
    yield from convolution(CHANNELS, POLICY_CHANNELS, 1)
    yield from linear(POLICY_CHANNELS * POINTS, POINTS + 1, 8.0)
    yield from convolution(CHANNELS, VALUE_CHANNELS, 1)
    yield from linear(VALUE_CHANNELS * POINTS, HIDDEN, 1.0)
    yield from linear(HIDDEN, 1, 1.0)


def write(path, seed=1):
    """Writes the net of the given seed."""
    with open(path, "w", encoding="ascii") as file:
        for line in lines(random.Random(seed)):
            print(line, file=file)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    write(sys.argv[1], *map(int, sys.argv[2:]))
