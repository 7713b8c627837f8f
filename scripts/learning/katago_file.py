"""Reads the files of KataGo networks layer by layer.

`Layers` yields the words and numbers of a network in file order, which is that of KataGo's `cpp/neuralnet/desc.cpp`.
Two containers hold the same sequence: KataGo's own (`.bin.gz`, compressed or not), and the export of this module, a
safetensors file of about half the size, in which the weights of convolutions and matrices have 16 bits and all other
numbers 32.

Every defect of a file is reported as one TeacherError that names the layer.
"""

import gzip
import json
import math
import zlib

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from files import write_atomically

GZIP_MAGIC = b"\x1f\x8b"
WHITE_SPACE = b" \n\r\t"
# Marks the start of a group of binary numbers.
BLOCK = b"@BIN@"
ACTIVATIONS = {
    "ACTIVATION_IDENTITY": torch.nn.Identity,
    "ACTIVATION_RELU": torch.nn.ReLU,
    "ACTIVATION_MISH": torch.nn.Mish,
    "ACTIVATION_SILU": torch.nn.SiLU,
}
# First version that names its activations; earlier networks use ReLU everywhere.
NAMED_ACTIVATIONS = 11
# Limits as in src/net/spec/check.rs.
MAX_WIDTH, MAX_KERNEL = 16_384, 19
# Metadata key and header of an export.
EXPORT_KEY = "honinbo_teacher"
EXPORT_HEADER = {"format": "honinbo-teacher-net", "version": 1}


class TeacherError(Exception):
    """A network or a request that cannot be used, described in one line."""


class KataGoFile:
    """KataGo's container: words separated by white space, and groups of float32 numbers."""

    def __init__(self, data):
        self._data, self._position = data, 0

    def word(self):
        """Reads the next word, or None at the end of the file."""
        data, start = self._data, self._position
        while start < len(data) and data[start] in WHITE_SPACE:
            start += 1
        end = start
        while end < len(data) and data[end] not in WHITE_SPACE:
            end += 1
        self._position = end
        return data[start:end].decode("latin-1") if end > start else None

    def numbers(self, shape):
        """Reads the next group of numbers as a float32 tensor. Raises ValueError if it is missing."""
        marker = self._data.find(BLOCK, self._position, self._position + 16)
        if marker < 0:
            raise ValueError("no block of binary numbers (text networks are not supported)")
        count, start = math.prod(shape), marker + len(BLOCK)
        self._position = start + 4 * count
        if self._position > len(self._data):
            raise ValueError("the end of the file")
        # A copy, since tensors need writable memory.
        return torch.from_numpy(np.frombuffer(self._data, "<f4", count, start).reshape(shape).astype("f4"))


class ExportedFile:
    """The container that `Layers.export` writes: the words in the metadata, and one tensor per group of numbers."""

    def __init__(self, path):
        with safe_open(path, framework="pt") as file:
            header = json.loads((file.metadata() or {}).get(EXPORT_KEY, "{}"))
            if not isinstance(header, dict):
                raise ValueError("its header is not an object")
            words = header.pop("words", None)
            if header != EXPORT_HEADER or not isinstance(words, str):
                raise ValueError(f"its format is not {EXPORT_HEADER['format']} version {EXPORT_HEADER['version']}")
            names = sorted(file.keys())
            if names != [group_name(index) for index in range(len(names))]:
                raise ValueError("unexpected tensor names")
            self._groups = iter([file.get_tensor(name) for name in names])
        self._words = iter(words.split())

    def word(self):
        """Reads the next word, or None after the last one."""
        return next(self._words, None)

    def numbers(self, shape):
        """Reads the next group of numbers as a float32 tensor. Raises ValueError if it is missing or has another
        shape."""
        group = next(self._groups, None)
        if group is None:
            raise ValueError("the end of the file")
        if tuple(group.shape) != shape or not group.is_floating_point():
            raise ValueError(f"{group.dtype} of shape {list(group.shape)}")
        return group.float()


def group_name(index):
    """Returns the name of a group of numbers in an export. The names sort in the order of the groups."""
    return f"{index:05}"


def shortened(weights):
    """Weights in 16 bits: float16, which is eight times as precise as bfloat16, or bfloat16 where they exceed its
    range."""
    for precision in (torch.float16, torch.bfloat16):
        rounded = weights.to(precision)
        if rounded.isfinite().all():
            return rounded
    raise TeacherError("weights exceed the range of bfloat16")


def open_container(path):
    """Opens the container of a file, recognised by its content."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        # A safetensors file starts with the length of its JSON header in 8 bytes.
        if data[8:9] == b"{":
            return ExportedFile(path)
        return KataGoFile(gzip.decompress(data) if data.startswith(GZIP_MAGIC) else data)
    except (OSError, EOFError, zlib.error, SafetensorError, ValueError) as error:
        raise TeacherError(f"{path} is not a readable net file ({error})") from error


class Layers:
    """Layers of a network in file order."""

    def __init__(self, path):
        self._path, self._container = path, open_container(path)
        # Name of the current layer, for errors.
        self._layer = "the start of the file"
        # Everything read so far, for `export`: words, and pairs of a tensor and whether it may be stored in 16 bits.
        self._words, self._groups = [], []
        # Version of the network; set by the caller once it has been read.
        self.version = 0

    def fail(self, expected, found):
        """Raises a TeacherError for the current layer."""
        raise TeacherError(f"{self._path}: {self._layer}: expected {expected}, found {found}")

    def word(self):
        """Reads the next word."""
        word = self._container.word()
        if word is None:
            self.fail("a word", "the end of the file")
        self._words.append(word)
        return word

    def begin(self):
        """Starts the next layer and returns its name."""
        self._layer = self.word()
        return self._layer

    def end(self):
        """Checks that the file ends here."""
        word = self._container.word()
        if word is not None:
            self.fail("the end of the file", repr(word[:40]))

    def number(self, kind=int):
        """Reads the next word, converted to `kind`."""
        word = self.word()
        try:
            number = kind(word)
        except ValueError:
            self.fail("a number", repr(word[:40]))
        if kind is float and not math.isfinite(number):
            self.fail("a finite number", word)
        return number

    def positive(self):
        """Reads the next word as a number above 0."""
        number = self.number(float)
        if number <= 0.0:
            self.fail("a number above 0", number)
        return number

    def count(self, limit):
        """Reads a count from 1 to `limit`."""
        number = self.number()
        if not 1 <= number <= limit:
            self.fail(f"1 to {limit}", number)
        return number

    def exactly(self, number):
        """Checks that the next word is this number."""
        found = self.number()
        if found != number:
            self.fail(number, found)

    def options(self, count):
        """Checks that the next `count` options are off."""
        for _ in range(count):
            self.exactly(0)

    def numbers(self, *shape, is_weight=False):
        """Reads the next group of numbers, in float32. `is_weight` allows `export` to round it."""
        try:
            numbers = self._container.numbers(shape)
        except ValueError as error:
            self.fail(f"numbers of shape {list(shape)}", error)
        if not numbers.isfinite().all():
            self.fail("finite numbers", "NaN or infinity")
        self._groups.append((numbers, is_weight))
        return numbers

    def conv(self, inputs, outputs=None):
        """Reads the kernel of a convolution, [outputs, inputs, height, width] in channels-last memory format."""
        self.begin()
        height, width = self.count(MAX_KERNEL), self.count(MAX_KERNEL)
        if height % 2 == 0 or width % 2 == 0:
            self.fail("a kernel of odd sides", f"{height}x{width}")
        self.exactly(inputs)
        outputs = self._outputs(outputs)
        for _dilation in range(2):
            self.exactly(1)
        kernel = self.numbers(height, width, inputs, outputs, is_weight=True).permute(3, 2, 0, 1)
        return kernel.contiguous(memory_format=torch.channels_last)

    def _outputs(self, known):
        if known is None:
            return self.count(MAX_WIDTH)
        self.exactly(known)
        return known

    def norm(self, channels):
        """Reads scale and shift of a batch norm, with its statistics folded in."""
        self.begin()
        self.exactly(channels)
        epsilon = self.positive()
        has_scale, has_shift = self.number(), self.number()
        mean, variance = self.numbers(channels), self.numbers(channels)
        if (variance < 0.0).any():
            self.fail("variances of at least 0", "a negative one")
        scale = self.numbers(channels) if has_scale else torch.ones(channels)
        shift = self.numbers(channels) if has_shift else torch.zeros(channels)
        scale = scale * torch.rsqrt(variance + epsilon)
        shift = shift - mean * scale
        if not (scale.isfinite() & shift.isfinite()).all():
            self.fail("statistics with a finite scale and shift", "others")
        return scale, shift

    def activation(self):
        """Reads an activation, as a module."""
        self.begin()
        if self.version < NAMED_ACTIVATIONS:
            return torch.nn.ReLU()
        name = self.word()
        if name not in ACTIVATIONS:
            self.fail("one of " + ", ".join(ACTIVATIONS), name[:40])
        return ACTIVATIONS[name]()

    def linear(self, inputs, outputs=None):
        """Reads a matrix [outputs, inputs]."""
        self.begin()
        self.exactly(inputs)
        return self.numbers(inputs, self._outputs(outputs), is_weight=True).T.contiguous()

    def biased(self, inputs, outputs=None):
        """Reads a matrix [outputs, inputs] and its bias."""
        weight = self.linear(inputs, outputs)
        self.begin()
        self.exactly(len(weight))
        return weight, self.numbers(len(weight))

    def export(self, path):
        """Writes everything read so far, which must be a whole network, to a smaller file that `Layers` can read."""
        tensors = {group_name(index): shortened(numbers) if is_weight else numbers
                   for index, (numbers, is_weight) in enumerate(self._groups)}
        metadata = {EXPORT_KEY: json.dumps({**EXPORT_HEADER, "words": " ".join(self._words)})}
        write_atomically(path, lambda partial: save_file(tensors, partial, metadata))
