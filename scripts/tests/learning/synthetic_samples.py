"""Synthetic sample streams for the tests of the trainer.

Streams have the format of `honinbo samples`, a fixed seed, and boards of any sizes in the top-left corner.
"""

import io
import json

import numpy as np

from learning.samples import Header, read_batch

PLANES = ("own_0", "own_1", "opponent_0", "on_board")
SIDE = 9


def header_line(batch, planes=PLANES, globals_=("komi", "size"), side=SIDE, **changes):
    """Returns the header line of a stream."""
    entries = {"format": "honinbo-samples", "version": 1, "planes": planes, "globals": globals_, "batch": batch,
               "width": side, "height": side, **changes}
    return json.dumps(entries).encode() + b"\n"


def frame(n, seed, sides=(SIDE,), planes=len(PLANES), globals_=2, side=SIDE, targets=0):
    """Returns a frame of random samples. The board sizes cycle through `sides`; the last plane is the mask. Values of the
    optional targets are 0, 1, ..., then 0.5, 1.5, ... and so on; every second sample has weight 0."""
    random = np.random.default_rng(seed)
    stones = random.integers(0, 2, (n, planes, side, side)).astype("i1")
    stones[:, -1] = 0
    policy = np.zeros((n, side * side + 1), "<f2")
    for i in range(n):
        size = sides[i % len(sides)]
        stones[i, -1, :size, :size] = 1
        stones[i] *= stones[i, -1]
        policy[i, random.integers(0, size) * side + random.integers(0, size)] = 1.0
    one = np.ones(n, "<f4")
    winner = random.choice([-1.0, 1.0], n).astype("<f4")
    owner = (127 * random.choice([-1, 1], (n, side, side))).astype("i1")
    arrays = [stones, random.standard_normal((n, globals_)).astype("<f4"), policy, one, winner, one, winner * 7, one,
              owner, one]
    for target in range(targets):
        arrays += [np.arange(n).astype("<f4") + np.float32(0.5 * target), (np.arange(n) % 2 == 0).astype("<f4")]
    return np.uint32(n).astype("<u4").tobytes() + b"".join(array.tobytes() for array in arrays)


def batch_of(n, seed, sides=(SIDE,)):
    """Returns the frame as the reader returns it."""
    header = Header.parse(header_line(n), "test")
    return read_batch(io.BytesIO(frame(n, seed, sides)), header, "test")
