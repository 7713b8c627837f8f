"""Reader of the sample stream that `honinbo samples` writes (`src/learn/batch_writer.rs`).

Reads `honinbo-samples` version 1 from commands, files or standard input as batches of torch tensors, in a background
thread with a short queue. All errors of a stream are reported as SampleError.
"""

import json
import os
import queue
import random
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass

import numpy as np
import torch

MASK_PLANE = "on_board"
# Number of queued batches; enough to bridge short delays of the producer.
QUEUE_LENGTH = 4
HEADER_LIMIT = 1 << 20


class SampleError(Exception):
    """Unusable stream; the message is one line for the user."""


class TornError(SampleError):
    """Stream that ends within a frame."""


@dataclass(frozen=True)
class Header:
    """First line of a stream."""

    planes: tuple
    globals: tuple
    batch: int
    width: int
    height: int
    # Optional targets: one value and one weight per sample each.
    targets: tuple = ()

    @staticmethod
    def parse(line, origin):
        """Parses the JSON line; `origin` names the stream in errors."""
        if not line:
            raise SampleError(f"{origin}: the stream is empty, expected a header line")
        try:
            entries = json.loads(line)
            if (entries["format"], entries["version"]) != ("honinbo-samples", 1):
                raise SampleError(f"{origin}: expected format honinbo-samples version 1, "
                                  f"found {entries['format']} {entries['version']}")
            if "teacher" in entries:
                raise SampleError(f"{origin}: streams with teacher inputs are not supported; use a label store")
            header = Header(tuple(entries["planes"]), tuple(entries["globals"]), int(entries["batch"]),
                            int(entries["width"]), int(entries["height"]), tuple(map(str, entries.get("targets", ()))))
        except (ValueError, KeyError, TypeError) as error:
            raise SampleError(f"{origin}: the first line is not the header of a sample stream "
                              f"({type(error).__name__}: {error})") from error
        if not (header.planes and header.batch > 0 and header.width > 0 and header.height > 0):
            raise SampleError(f"{origin}: the header has no planes, or sizes which are not positive")
        names = [name for name, _, _ in header.layout(1)]
        if len(names) != len(set(names)):
            raise SampleError(f"{origin}: the header has targets with names of other arrays")
        return header

    def layout(self, n):
        """Returns the arrays of a frame of `n` samples in order: (name, little-endian type, shape)."""
        points = self.height * self.width
        arrays = [
            ("planes", "i1", (n, len(self.planes), self.height, self.width)),
            ("globals", "<f4", (n, len(self.globals))),
            ("policy", "<f2", (n, points + 1)),
            ("policy_weight", "<f4", (n,)),
            ("value", "<f4", (n,)),
            ("value_weight", "<f4", (n,)),
            ("score", "<f4", (n,)),
            ("score_weight", "<f4", (n,)),
            ("ownership", "i1", (n, self.height, self.width)),
            ("ownership_weight", "<f4", (n,)),
        ]
        for target in self.targets:
            arrays += [(target, "<f4", (n,)), (f"{target}_weight", "<f4", (n,))]
        return arrays


@dataclass
class Batch:
    """`n` samples; tensors as in the stream (planes int8, policy float16, ownership int8, the rest float32)."""

    n: int
    tensors: dict
    mask: torch.Tensor | None  # [n, 1, h, w] float32, None if every point is on board

    def each(self, change):
        """Returns the batch with `change` applied to every tensor."""
        changed = {name: change(tensor) for name, tensor in self.tensors.items()}
        return Batch(self.n, changed, None if self.mask is None else change(self.mask))

    def to(self, device):
        """Returns the batch on `device`."""
        return self.each(lambda tensor: tensor.to(device, non_blocking=True))

    @staticmethod
    def join(batches, limit):
        """Returns the first `limit` samples of several batches as one batch; its mask is never None."""
        names = batches[0].tensors
        tensors = {name: torch.cat([b.tensors[name] for b in batches])[:limit] for name in names}
        masks = [torch.ones_like(b.tensors["planes"][:, :1], dtype=torch.float32) if b.mask is None else b.mask
                 for b in batches]
        mask = torch.cat(masks)[:limit]
        return Batch(len(mask), tensors, mask)

    def part(self, chosen):
        """Returns the samples of a slice or index tensor; the mask becomes None if every point is on board."""
        tensors = {name: tensor[chosen] for name, tensor in self.tensors.items()}
        mask = None if self.mask is None else self.mask[chosen]
        if mask is not None and bool(mask.all()):
            mask = None
        return Batch(len(tensors["value"]), tensors, mask)


def read_exactly(file, size, origin, may_end=False):
    """Reads `size` bytes of `file`. Returns None at the end of the stream if it `may_end` here."""
    data = bytearray(size)
    view, filled = memoryview(data), 0
    while filled < size:
        count = file.readinto(view[filled:])
        if not count:
            if may_end and filled == 0:
                return None
            raise TornError(f"{origin}: the stream ends inside a frame ({filled} of {size} bytes)")
        filled += count
    return data


def read_batch(file, header, origin):
    """Reads the next frame as a `Batch`. Returns None at the end of the stream."""
    head = read_exactly(file, 4, origin, may_end=True)
    if head is None:
        return None
    n = int.from_bytes(head, "little")
    if not 0 < n <= header.batch:
        raise SampleError(f"{origin}: a frame holds 1 to {header.batch} samples, found {n}")
    layout = header.layout(n)
    sizes = [int(np.prod(shape)) * np.dtype(kind).itemsize for _, kind, shape in layout]
    data = read_exactly(file, sum(sizes), origin)
    tensors, start = {}, 0
    for (name, kind, shape), size in zip(layout, sizes):
        # astype copies to aligned memory in native byte order.
        array = np.frombuffer(data, kind, int(np.prod(shape)), start).reshape(shape)
        tensors[name] = torch.from_numpy(array.astype(array.dtype.newbyteorder("=")))
        start += size
    mask = None
    if MASK_PLANE in header.planes:
        on_board = tensors["planes"][:, header.planes.index(MASK_PLANE)].unsqueeze(1)
        if not bool(on_board.all()):
            mask = on_board.float()
    return Batch(n, tensors, mask)


class SampleStream:
    """Batches from a source: `-` is standard input, an existing file is read, anything else runs in the shell.

    With `repeat` a file or command starts again at its end, without limit; `{pass}` in a command is replaced by the
    number of the pass, counted from `first_pass`, so that each pass can have a different seed. A truncated file is read
    up to its last complete frame.
    """

    def __init__(self, source, repeat=False, first_pass=0):
        self.source = source
        # Pass of the batch returned last; the reading thread may be further.
        self.pass_number = first_pass - 1
        self._reading = first_pass
        self._repeat = repeat and source != "-"
        self._process = None
        self._told = False
        self._closed = threading.Event()
        self._queue = queue.Queue(QUEUE_LENGTH)
        self.header = None
        threading.Thread(target=self._run, daemon=True).start()
        self.header = self._take()

    def __iter__(self):
        return self

    def __next__(self):
        item = self._take()
        if item is None:
            raise StopIteration
        self.pass_number, batch = item
        return batch

    def close(self):
        """Ends the command, if one is running."""
        self._closed.set()
        self._kill()

    def _take(self):
        item = self._wait()
        if isinstance(item, (SampleError, type(None))):
            # Repeated calls return the end again.
            self._queue.put(item)
        if isinstance(item, SampleError):
            raise item
        return item

    def _wait(self):
        """Returns the next item of the queue, or None if the stream is closed and the queue is empty."""
        while True:
            try:
                return self._queue.get(timeout=1.0)
            except queue.Empty:
                if self._closed.is_set():
                    return None

    def _put(self, item):
        while not self._closed.is_set():
            try:
                return self._queue.put(item, timeout=1.0)
            except queue.Full:
                continue

    def _run(self):
        header = None
        try:
            while not self._closed.is_set():
                header = self._one_pass(header)
                if not self._repeat:
                    break
                self._reading += 1
            self._put(None)
        except SampleError as error:
            self._put(error)
        except Exception as error:  # passed on, since another thread waits for this one
            self._put(SampleError(f"{self.source}: {type(error).__name__}: {error}"))

    def _one_pass(self, known):
        file = self._open()
        with file:
            line = file.readline(HEADER_LIMIT)
            if not line:
                self._expect_success()
            header = Header.parse(line, self.source)
            if known is None:
                self._put(header)
            elif header != known:
                raise SampleError(f"{self.source}: the header changed between two passes")
            frames = 0
            while not self._closed.is_set() and (batch := self._next_batch(file, header)) is not None:
                self._put((self._reading, batch))
                frames += 1
        self._expect_success()
        if frames == 0 and not self._closed.is_set():
            raise SampleError(f"{self.source}: the stream holds no samples")
        return header

    def _expect_success(self):
        if self._process is not None and self._process.wait() != 0 and not self._closed.is_set():
            raise SampleError(f"{self.source}: the command failed with status {self._process.returncode}")

    def _next_batch(self, file, header):
        try:
            return read_batch(file, header, self.source)
        except TornError as error:
            # Only a file is known to lack nothing but its end; the output of a command or pipe could miss anything.
            if not os.path.isfile(self.source):
                raise
            if not self._told:
                print(f"samples: {error}; using the complete frames", file=sys.stderr)
            self._told = True
            return None

    def _open(self):
        if self.source == "-":
            # Not sys.stdin, which blocks the interpreter's exit while the thread waits for it.
            return open(0, "rb", closefd=False)
        if os.path.isfile(self.source):
            return open(self.source, "rb")
        command = self.source.replace("{pass}", str(self._reading))
        # In a new session, so that a signal that stops the training does not cut the stream first.
        self._process = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, start_new_session=True)
        return self._process.stdout

    def _kill(self):
        if self._process is not None and self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass


class Mixture:
    """Batches of several repeated sources, chosen at random by weight. Ends when one of the sources ends.

    A source is written `WEIGHT@SOURCE`; the default weight is 1. All sources have the same planes and globals, but grid
    and batch size may differ.
    """

    def __init__(self, sources, passes=(), seed=0):
        """`passes` are the passes reached in earlier runs; a source continues with the next one."""
        self._weights, self._streams = [], []
        self._random = random.Random(seed)
        for number, text in enumerate(sources):
            weight, source = split_weight(text)
            self._weights.append(weight)
            first = passes[number] + 1 if number < len(passes) else 0
            self._streams.append(SampleStream(source, repeat=True, first_pass=first))
        self.headers = [stream.header for stream in self._streams]
        for header in self.headers[1:]:
            if (header.planes, header.globals) != (self.header.planes, self.header.globals):
                self.close()
                raise SampleError("the sources of samples have different planes or globals")

    @property
    def header(self):
        """Header of the first source."""
        return self.headers[0]

    @property
    def passes(self):
        """Pass of each source's last batch."""
        return [stream.pass_number for stream in self._streams]

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._random.choices(self._streams, self._weights)[0])

    def close(self):
        """Ends the running commands."""
        for stream in self._streams:
            stream.close()


def split_weight(text):
    """Splits `WEIGHT@SOURCE`; the weight is 1 if the text does not start with a number and an @."""
    head, at, rest = text.partition("@")
    try:
        weight = float(head) if at else 1.0
    except ValueError:
        return 1.0, text
    if not 0.0 < weight < float("inf"):
        raise SampleError(f"{text}: expected a weight above 0, found {head}")
    return weight, rest if at else text


def take_samples(source, count):
    """Returns the header and up to `count` samples of a source, as one batch."""
    stream = SampleStream(source)
    try:
        batches, held = [], 0
        for batch in stream:
            batches.append(batch)
            held += batch.n
            if held >= count:
                break
        return stream.header, Batch.join(batches, count)
    finally:
        stream.close()
