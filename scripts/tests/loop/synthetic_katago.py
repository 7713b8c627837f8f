"""Tiny KataGo networks with random weights, for tests."""

import gzip

import numpy as np

CHANNELS, WIDTH = 8, 4


class Writer:
    """Writes layers in the order of KataGo's files."""

    def __init__(self, version, seed):
        self.version, self._random, self._data = version, np.random.default_rng(seed), b""
        # All groups of numbers written so far.
        self.groups = []

    def words(self, *words):
        self._data += b"".join(f"{word}\n".encode() for word in words)

    def numbers(self, *shape, size=1.0, least=None):
        numbers = self._random.normal(0.0, size, shape) if least is None else self._random.uniform(least, 1.5, shape)
        self.groups.append(numbers.astype("<f4"))
        self._data += b"@BIN@" + self.groups[-1].tobytes() + b"\n"

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

    def rms_norm(self, channels, *options):
        self.words("size", channels, "0.0001", *options)
        self.numbers(channels, least=0.5)

    def file(self, path):
        with gzip.open(path, "wb") as file:
            file.write(self._data)


def residual(writer, pooling, channels=CHANNELS):
    """Writes an ordinary or a pooling block."""
    writer.words("gpool_block" if pooling else "ordinary_block", "block")
    writer.norm(channels)
    writer.act()
    writer.conv(channels, channels)
    if pooling:
        writer.conv(channels, WIDTH)
        writer.norm(WIDTH)
        writer.act()
        writer.linear(3 * WIDTH, channels)
    writer.norm(channels)
    writer.act()
    writer.conv(channels, channels)


def transformer(writer, learnt, channels=CHANNELS):
    """Writes an attention block with two query heads that share one key head, and a feed-forward block."""
    writer.words("transformer_attention_block", "block", 2, 1, 4, 4, 1, int(learnt))
    writer.rms_norm(channels)
    for outputs in (8, 4, 4):
        writer.linear(channels, outputs)
    writer.linear(8, channels)
    if learnt:
        writer.words("angles", 1, 2, 2)
        writer.numbers(1, 2, 2)
    else:
        writer.words("base", "100.0")
    writer.words("transformer_ffn_block", "block", channels, 12, 1)
    writer.rms_norm(channels)
    for inputs, outputs in ((channels, 12), (channels, 12), (12, channels)):
        writer.linear(inputs, outputs)


def nested(writer, count, write_blocks, channels=CHANNELS, inner=WIDTH):
    """Writes a nested bottleneck block; `write_blocks(inner)` writes its `count` blocks."""
    writer.words("nested_bottleneck_block", "block", count)
    writer.norm(channels)
    writer.act("MISH")
    writer.conv(channels, inner, 3)
    write_blocks(inner)
    writer.norm(inner)
    writer.act()
    writer.conv(inner, channels, 1)


def nested_kinds(writer):
    """Writes a nested block that contains blocks of every kind."""
    def write_blocks(inner):
        transformer(writer, True, inner)
        residual(writer, True, inner)
        nested(writer, 1, lambda innermost: residual(writer, False, innermost), inner, inner - 1)

    nested(writer, 4, write_blocks)


def heads(writer, policies, scores):
    """Writes the policy and the value head."""
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
    """Writes a version 8 network with an ordinary and a pooling block."""
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
    """Writes a version 15 network with two pairs of transformer blocks and its own units."""
    writer = Writer(15, seed)
    writer.words("net", 15, 22, 19, *(["20.0"] * 3), "15.0", "40.0", "0.25", "150.0", *([0] * 8))
    writer.words("trunk", 4, CHANNELS, CHANNELS, CHANNELS, CHANNELS, CHANNELS, 1, *([0] * 5))
    writer.conv(22, CHANNELS)
    writer.linear(19, CHANNELS)
    transformer(writer, learnt=False)
    transformer(writer, learnt=True)
    writer.rms_norm(CHANNELS, int(over_board), 0)
    writer.numbers(CHANNELS, size=0.3)
    writer.act("SILU")
    heads(writer, policies=2, scores=6)
    writer.file(path)


def nesting(path, seed):
    """Writes a version 16 network with nested blocks; returns its writer."""
    writer = Writer(16, seed)
    writer.words("net", 16, 22, 19, *(["20.0"] * 3), "15.0", "40.0", "0.25", "150.0", *([0] * 8))
    writer.words("trunk", 2, CHANNELS, CHANNELS, CHANNELS, CHANNELS, CHANNELS, *([0] * 6))
    writer.conv(22, CHANNELS)
    writer.linear(19, CHANNELS)
    nested_kinds(writer)
    residual(writer, False)
    writer.norm(CHANNELS)
    writer.act("SILU")
    heads(writer, policies=4, scores=6)
    writer.file(path)
    return writer
