"""Reader of the label store for tests, independent of the engine and based on the format description
(src/learn/labels)."""

import lzma
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"HNLABEL1"
LEAD, DEVIATION, ERRORS, OWNERSHIP = 1, 2, 4, 8


@dataclass
class Label:
    """A label: the game, the number of moves played, and the predictions."""

    origin: tuple
    sgf: str
    moves: int
    win: float
    no_result: float
    lead: float | None
    deviation: float | None
    # Errors of the value (win minus loss) and of the score, and variance time.
    errors: tuple | None
    # Probability by board index.
    policy: dict
    ownership: list


class Reader:
    """Cursor over bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        """Returns the next values in a `struct` format."""
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def label(self, origin, sgf, area):
        """Returns the next label of a board with `area` points."""
        moves, flags, win, none = self.take("HBHH")
        lead = self.take("h")[0] / 64 if flags & LEAD else None
        deviation = self.take("H")[0] / 64 if flags & DEVIATION else None
        errors = None
        if flags & ERRORS:
            value, score, time = self.take("HHH")
            errors = (value / 16384, score / 64, time / 64)
        (count,) = self.take("B")
        policy = {index: 2.0 ** (-steps / 16) for index, steps in (self.take("HB") for _ in range(count))}
        ownership = []
        if flags & OWNERSHIP:
            packed = self.take(f"{(area + 1) // 2}B")
            ownership = [(packed[i // 2] >> 4 * (i % 2) & 15) / 7.5 - 1 for i in range(area)]
        return Label(origin, sgf, moves, win / 65535, none / 65535, lead, deviation, errors, policy, ownership)

    def entry(self):
        """Returns the labels of the entry."""
        source, number, games = self.take("QQI")
        for _ in range(games):
            (length,) = self.take("I")
            sgf = self.take(f"{length}s")[0].decode()
            width, height, count = self.take("BBH")
            for _ in range(count):
                yield self.label((source, number), sgf, width * height)
        if self.at != len(self.data):
            raise ValueError("bytes after the entry")


def read_shard(data):
    """Returns the labels of an uncompressed shard. Its last frame may be incomplete."""
    at = 0
    while at + 8 <= len(data):
        if data[at:at + 8] == MAGIC:
            at += 8
            continue
        length, checksum = struct.unpack_from("<II", data, at)
        payload = data[at + 8:at + 8 + length]
        if len(payload) < length:
            return
        if zlib.crc32(payload) != checksum:
            raise ValueError(f"wrong checksum at byte {at}")
        yield from Reader(payload).entry()
        at += 8 + length


def read_store(folder):
    """Returns all labels of a store, or of the shards in a folder."""
    files = sorted(Path(folder).glob("labels-*"))
    return [label for file in files
            for label in read_shard(lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes())]
