"""A teacher process without a network. Its predictions follow from the inputs by simple rules, and the label store
represents them exactly. The preferred move is the first empty point, row by row, with probability about 1. The side to
move leads by the number of its stones and owns the points of all its stones, but the opponent owns nothing. With
`--fail-after N`, the process exits after N requests.
"""

import json
import struct
import sys

PLANES, GLOBALS = 22, 19


def read(size):
    """Reads `size` bytes of standard input, or fewer at its end."""
    return sys.stdin.buffer.read(size)


def answer(planes, height, width):
    """Returns policy, numbers and ownership of a position. `planes` are lists of bytes."""
    board, own, opponent = planes[0], planes[1], planes[2]
    empty = [i for i in range(height * width) if board[i] and not own[i] and not opponent[i]]
    policy = [0.0] * (height * width + 1)
    policy[empty[0] if empty else -1] = 30.0
    ownership = [float(own[i]) for i in range(height * width)]
    return policy, [1.0, 0.0, 0.0, float(sum(own)), 4.0, 3.0, 2.0, 0.25, 0.5], ownership


def main():
    """Serves requests."""
    left = int(sys.argv[sys.argv.index("--fail-after") + 1]) if "--fail-after" in sys.argv else 1 << 30
    out = sys.stdout.buffer
    greeting = {"format": "honinbo-teacher", "version": 1, "planes": PLANES, "globals": GLOBALS, "name": "fake"}
    out.write(json.dumps(greeting).encode() + b"\n")
    out.flush()
    while len(header := read(12)) == 12:
        if left == 0:
            sys.exit(1)
        left -= 1
        n, height, width = struct.unpack("<III", header)
        area = height * width
        planes = read(n * PLANES * area)
        read(4 * n * GLOBALS)
        answers = []
        for index in range(n):
            start = index * PLANES * area
            answers.append(answer([planes[start + p * area:start + (p + 1) * area] for p in range(PLANES)], height, width))
        for part in range(3):
            for values in answers:
                out.write(struct.pack(f"<{len(values[part])}f", *values[part]))
        out.flush()


if __name__ == "__main__":
    main()
