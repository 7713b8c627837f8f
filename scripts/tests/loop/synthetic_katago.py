"""Net files of KataGo's kinds with random weights, as small as can be, for the tests of the trainer's teacher."""

import gzip

import numpy as np

CHANNELS, WIDTH = 8, 4


class Writer:
    """Writes layers in the order in which KataGo's files have them."""

    def __init__(self, version, seed):
        self.version, self._random, self._data = version, np.random.default_rng(seed), b""

    def words(self, *words):
        self._data += b"".join(f"{word}\n".encode() for word in words)

    def numbers(self, *shape, size=1.0, least=None):
        drawn = self._random.normal(0.0, size, shape) if least is None else self._random.uniform(least, 1.5, shape)
        self._data += b"@BIN@" + drawn.astype("<f4").tobytes() + b"\n"

    def conv(self, inputs, outputs, side=3):
        self.words("conv", side, side, inputs, outputs, 1, 1)
        self.numbers(side, side, inputs, outputs, size=(side * side * inputs) ** -0.5)

    def norm(self, channels):
        self.words("norm", channels, "0.001", 1, 1)
        for least in (None, 0.5, 0.5, None):
            self.numbers(channels, size=0.3, least=least)

    def act(self, name="RELU"):
        self.words("act", *([f"ACTIVATION_{name}"] if self.version >= 11 else []))

    def linear(self, inputs, outputs):
        self.words("matrix", inputs, outputs)
        self.numbers(inputs, outputs, size=inputs ** -0.5)

    def biased(self, inputs, outputs):
        self.linear(inputs, outputs)
        self.words("bias", outputs)
        self.numbers(outputs, size=0.3)

    def size_norm(self, *more):
        self.words("size", CHANNELS, "0.0001", *more)
        self.numbers(CHANNELS, least=0.5)

    def file(self, path):
        with gzip.open(path, "wb") as file:
            file.write(self._data)


def residual(writer, pooling):
    """An ordinary or a pooling block."""
    writer.words("gpool_block" if pooling else "ordinary_block", "block")
    writer.norm(CHANNELS)
    writer.act()
    writer.conv(CHANNELS, CHANNELS)
    if pooling:
        writer.conv(CHANNELS, WIDTH)
        writer.norm(WIDTH)
        writer.act()
        writer.linear(3 * WIDTH, CHANNELS)
    writer.norm(CHANNELS)
    writer.act()
    writer.conv(CHANNELS, CHANNELS)


def transformer(writer, learnt):
    """An attention block of two heads that share one head of keys, and a feed-forward block."""
    writer.words("transformer_attention_block", "block", 2, 1, 4, 4, 1, int(learnt))
    writer.size_norm()
    for outputs in (8, 4, 4):
        writer.linear(CHANNELS, outputs)
    writer.linear(8, CHANNELS)
    if learnt:
        writer.words("angles", 1, 2, 2)
        writer.numbers(1, 2, 2)
    else:
        writer.words("base", "100.0")
    writer.words("transformer_ffn_block", "block", CHANNELS, 12, 1)
    writer.size_norm()
    for inputs, outputs in ((CHANNELS, 12), (CHANNELS, 12), (12, CHANNELS)):
        writer.linear(inputs, outputs)


def heads(writer, policies, scores):
    """Both heads."""
    late = writer.version >= 15
    writer.words("policy")
    writer.conv(CHANNELS, WIDTH, 1)
    writer.conv(CHANNELS, WIDTH, 1)
    writer.norm(WIDTH)
    writer.act()
    writer.linear(3 * WIDTH, WIDTH)
    writer.norm(WIDTH)
    writer.act()
    writer.conv(WIDTH, policies, 1)
    if late:
        writer.biased(3 * WIDTH, WIDTH)
        writer.act()
    writer.linear(WIDTH if late else 3 * WIDTH, policies)
    writer.words("value")
    writer.conv(CHANNELS, WIDTH, 1)
    writer.norm(WIDTH)
    writer.act()
    writer.biased(3 * WIDTH, 6)
    writer.act()
    writer.biased(6, 3)
    writer.biased(6, scores)
    writer.conv(WIDTH, 1, 1)


def convolving(path, seed):
    """A net of version 8 with an ordinary and a pooling block."""
    writer = Writer(8, seed)
    writer.words("net", 8, 22, 19, "trunk", 2, CHANNELS, CHANNELS, CHANNELS, CHANNELS, CHANNELS)
    writer.conv(22, CHANNELS, 5)
    writer.linear(19, CHANNELS)
    residual(writer, pooling=False)
    residual(writer, pooling=True)
    writer.norm(CHANNELS)
    writer.act()
    heads(writer, policies=1, scores=4)
    writer.file(path)


def attending(path, seed, over_board):
    """A net of version 15 with two pairs of transformer blocks and units of its own."""
    writer = Writer(15, seed)
    writer.words("net", 15, 22, 19, *(["20.0"] * 3), "15.0", "40.0", "0.25", "150.0", *([0] * 8))
    writer.words("trunk", 4, CHANNELS, CHANNELS, CHANNELS, CHANNELS, CHANNELS, 1, *([0] * 5))
    writer.conv(22, CHANNELS)
    writer.linear(19, CHANNELS)
    transformer(writer, learnt=False)
    transformer(writer, learnt=True)
    writer.size_norm(int(over_board), 0)
    writer.numbers(CHANNELS, size=0.3)
    writer.act("SILU")
    heads(writer, policies=2, scores=6)
    writer.file(path)
