"""Reader of KataGo's net files (`.bin.gz`, unpacked or not), layer by layer.

Promise: `Layers` gives the words and numbers of a file in order; whatever is wrong with it ends in one TeacherError that names
the layer. The order of layers is that of KataGo's `cpp/neuralnet/desc.cpp`.
"""

import gzip
import zlib

import numpy as np
import torch

BLOCK = b"@BIN@"
ACTIVATIONS = {
    "ACTIVATION_IDENTITY": lambda x: x,
    "ACTIVATION_RELU": torch.relu,
    "ACTIVATION_MISH": torch.nn.functional.mish,
    "ACTIVATION_SILU": torch.nn.functional.silu,
}
# Since this version a file names its activations.
NAMED_ACTIVATIONS = 11


class TeacherError(Exception):
    """A net which cannot teach; the text says what was expected and what was found."""


class Layers:
    """A file, read layer after layer."""

    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                data = file.read()
            self._data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        except (OSError, EOFError, zlib.error) as error:
            raise TeacherError(f"{path}: not a readable net file ({error})") from error
        self._path, self._at, self._place = path, 0, "the start of the file"
        self.version = 0

    def fail(self, expected, found):
        """Ends the reading."""
        raise TeacherError(f"{self._path}: {self._place}: expected {expected}, found {found}")

    def word(self):
        """The next word."""
        data, start = self._data, self._at
        while start < len(data) and data[start] in b" \n\r\t":
            start += 1
        end = start
        while end < len(data) and data[end] not in b" \n\r\t":
            end += 1
        if start == end:
            self.fail("a word", "the end of the file")
        self._at = end
        return data[start:end].decode("latin-1")

    def begin(self):
        """The name of the next layer."""
        self._place = self.word()
        return self._place

    def number(self, kind=int):
        """The next word as a number."""
        word = self.word()
        try:
            return kind(word)
        except ValueError:
            return self.fail("a number", repr(word[:40]))

    def exactly(self, count):
        """A number that is known before."""
        found = self.number()
        if found != count:
            self.fail(count, found)

    def options(self, count):
        """Options which must be off."""
        for _ in range(count):
            self.exactly(0)

    def numbers(self, *shape):
        """The next group of numbers."""
        size = 4 * int(np.prod(shape))
        self._at = self._data.find(BLOCK, self._at, self._at + 16)
        if self._at < 0:
            self.fail("a block of numbers", "none (nets of numbers in words cannot teach here)")
        start = self._at + len(BLOCK)
        self._at = start + size
        if self._at > len(self._data):
            self.fail(f"{size} bytes", "the end of the file")
        numbers = np.frombuffer(self._data, "<f4", size // 4, start).reshape(shape)
        if not np.isfinite(numbers).all():
            self.fail("finite numbers", "others")
        return torch.from_numpy(numbers.astype("f4"))

    def conv(self, inputs):
        """The kernel of a convolution, [outputs, inputs, height, width]."""
        self.begin()
        height, width = self.number(), self.number()
        self.exactly(inputs)
        outputs = self.number()
        self.exactly(1)
        self.exactly(1)
        return self.numbers(height, width, inputs, outputs).permute(3, 2, 0, 1).contiguous()

    def norm(self, channels):
        """The factors and summands of a batch norm with fixed statistics."""
        self.begin()
        self.exactly(channels)
        epsilon = self.number(float)
        scaled, shifted = self.number(), self.number()
        mean, variance = self.numbers(channels), self.numbers(channels)
        scale = self.numbers(channels) if scaled else torch.ones(channels)
        shift = self.numbers(channels) if shifted else torch.zeros(channels)
        factor = scale * torch.rsqrt(variance + epsilon)
        return factor, shift - mean * factor

    def activation(self):
        """An activation, as a function."""
        self.begin()
        if self.version < NAMED_ACTIVATIONS:
            return torch.relu
        name = self.word()
        if name not in ACTIVATIONS:
            self.fail("one of " + ", ".join(ACTIVATIONS), name[:40])
        return ACTIVATIONS[name]

    def linear(self, inputs):
        """A matrix [outputs, inputs]."""
        self.begin()
        self.exactly(inputs)
        return self.numbers(inputs, self.number()).T.contiguous()

    def biased(self, inputs):
        """A matrix and its bias."""
        weight = self.linear(inputs)
        self.begin()
        self.exactly(len(weight))
        return weight, self.numbers(len(weight))
