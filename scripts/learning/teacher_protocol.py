"""Binary protocol between the engine and its teacher process (serve_teacher.py).

All numbers are stored in little-endian order.

The process first writes one line of JSON, the greeting. Then it responds to requests in order until its input ends:

    request   u32 n, u32 height, u32 width; i8 planes [n, 22, height, width]; f32 globals [n, 19]
    response  f32 policy logits [n, height * width + 1], a pass last; f32 numbers [n, 9] in the order of NUMBERS;
              f32 ownership [n, height, width]

Boards occupy the top-left corner of the grid; plane 0 is 1 on board. Off-board policy and ownership are 0. Values are
from the perspective of the player to move, as in `Prediction`.
"""

import json
import struct
from typing import NamedTuple

import numpy as np

from learning.katago_file import TeacherError
from learning.katago_net import GLOBALS, MAX_SIDE, PLANES

VERSION = 1
# Limit on the positions of a request, so that a corrupt header cannot exhaust the memory.
MAX_POSITIONS = 1 << 14
NUMBERS = ("win", "loss", "no_result", "lead", "score_mean", "score_deviation", "variance_time", "value_error", "score_error")
# Numbers that every network has; the others may be NaN.
FINITE_NUMBERS = 6
HEADER = struct.Struct("<III")


class Request(NamedTuple):
    """The inputs of `n` positions on one grid."""

    # int8 [n, 22, height, width]
    planes: np.ndarray
    # float32 [n, 19]
    globals: np.ndarray


class Response(NamedTuple):
    """The outputs for one request, each float32."""

    policy: np.ndarray
    numbers: np.ndarray
    ownership: np.ndarray


def greeting(name):
    """Returns the first line of output."""
    fields = {"format": "honinbo-teacher", "version": VERSION, "planes": PLANES, "globals": GLOBALS, "name": name}
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def read_request(stream):
    """Reads the next request of an unbuffered binary stream, or None at its end. Raises TeacherError."""
    header = bytearray(HEADER.size)
    read = fill(stream, header)
    if read == 0:
        return None
    if read < HEADER.size:
        raise TeacherError(f"incomplete request: {read} of {HEADER.size} bytes of its header")
    n, height, width = HEADER.unpack(header)
    if not 1 <= n <= MAX_POSITIONS:
        raise TeacherError(f"a request has 1 to {MAX_POSITIONS} positions, not {n}")
    if not (1 <= height <= MAX_SIDE and 1 <= width <= MAX_SIDE):
        raise TeacherError(f"sides of the grid must be 1 to {MAX_SIDE}, not {height}x{width}")
    request = Request(np.empty((n, PLANES, height, width), "i1"), np.empty((n, GLOBALS), "<f4"))
    for name, array in request._asdict().items():
        read = fill(stream, array)
        if read < array.nbytes:
            raise TeacherError(f"incomplete request: {read} of {array.nbytes} bytes of its {name}")
    check_request(request)
    return request


def fill(stream, buffer):
    """Reads until `buffer` is full or the stream ends; returns the number of bytes read."""
    view, read = memoryview(buffer).cast("B"), 0
    while read < len(view):
        count = stream.readinto(view[read:])
        if not count:
            break
        read += count
    return read


def check_request(request):
    """Raises TeacherError for invalid inputs."""
    board = request.planes[:, 0]
    if board.min() < 0 or board.max() > 1:
        raise TeacherError("plane 0 must be 1 on board and 0 off board")
    if not board.any((1, 2)).all():
        raise TeacherError("a position has no point on board")
    if not np.isfinite(request.globals).all():
        raise TeacherError("globals must be finite")


def write_response(stream, response):
    """Writes a response to an unbuffered binary stream. Raises TeacherError if it has NaN or infinite numbers."""
    for array in (response.policy, response.numbers[:, :FINITE_NUMBERS], response.ownership):
        if not np.isfinite(array).all():
            raise TeacherError("the network produced NaN or infinity; try --precision bf16 or f32")
    for array in response:
        view = memoryview(np.ascontiguousarray(array, "<f4")).cast("B")
        while view:
            view = view[stream.write(view):]
