"""Blocks of a trunk as text: the option `--arch` of train.py and the `blocks` entries of a net's configuration.

    blocks = item {"," item}
    item   = [COUNT "*"] (block | "(" blocks ")")
    block  = "ordinary"                                   residual block with two 3x3 convolutions
           | "pooling"                                    the same, with globally pooled features added to the first one
           | "attention" HEADS ["/" KV_HEADS] ["@" THETA] self-attention; learnt rotation angles unless THETA fixes them
           | "ffn" WIDTH                                  feed-forward block with a gated hidden layer (SiLU)
           | "nested" CHANNELS "(" blocks ")"             bottleneck: blocks on CHANNELS channels between 1x1 convolutions

Spaces are ignored. `str` of a parsed block is its canonical text.
"""

import re
from dataclasses import dataclass

# Blocks per list, channels and hidden units, and nested parentheses.
MAX_BLOCKS = 256
MAX_WIDTH = 2048
MAX_DEPTH = 4

KINDS = ("ordinary", "pooling", "attention", "ffn", "nested")
TOKEN = re.compile(r"\s*([a-z]+|[0-9]+|\S)")


class ArchitectureError(ValueError):
    """Text that does not describe the blocks of a trunk; the message is one line for the user."""


@dataclass(frozen=True)
class Residual:
    """Two 3x3 convolutions, optionally with global pooling."""

    pooling: bool

    def __str__(self):
        return "pooling" if self.pooling else "ordinary"

    def check(self, channels):
        """Fits any number of channels."""


@dataclass(frozen=True)
class Attention:
    """Self-attention between all points of the board."""

    heads: int
    kv_heads: int
    # Base of the fixed rotation angles; None for learnt ones.
    theta: int | None

    def __str__(self):
        kv_heads = "" if self.kv_heads == self.heads else f"/{self.kv_heads}"
        return f"attention{self.heads}{kv_heads}" + ("" if self.theta is None else f"@{self.theta}")

    def check(self, channels):
        """Raises ArchitectureError unless the heads divide the channels as the engine requires."""
        if channels % self.heads or (channels // self.heads) % 2:
            raise ArchitectureError(f"{self}: {channels} channels cannot be divided into {self.heads} heads of even width")
        if self.heads % self.kv_heads:
            raise ArchitectureError(f"{self}: {self.kv_heads} key/value heads do not divide {self.heads} heads")


@dataclass(frozen=True)
class FeedForward:
    """Gated hidden layer at each point."""

    width: int

    def __str__(self):
        return f"ffn{self.width}"

    def check(self, channels):
        """Fits any number of channels."""


@dataclass(frozen=True)
class Nested:
    """Blocks on fewer channels between two 1x1 convolutions."""

    channels: int
    blocks: tuple

    def __str__(self):
        return f"nested{self.channels}({','.join(map(str, self.blocks))})"

    def check(self, channels):
        """Raises ArchitectureError unless the inner blocks fit the inner channels."""
        check_blocks(self.blocks, self.channels)


def parse_blocks(text):
    """Parses a list of blocks, repetitions expanded. Raises ArchitectureError."""
    parser = Parser(text)
    blocks = parser.blocks(0)
    parser.expect_end()
    return blocks


def check_blocks(blocks, channels):
    """Raises ArchitectureError unless all blocks fit a trunk with `channels` channels."""
    for block in blocks:
        block.check(channels)


class Parser:
    """Recursive-descent parser of the module's grammar."""

    def __init__(self, text):
        self._tokens = [(match.group(1), match.start(1) + 1) for match in TOKEN.finditer(text)]
        self._tokens.append(("", len(text) + 1))
        self._next = 0

    def blocks(self, depth):
        """Parses `blocks` within `depth` pairs of parentheses."""
        blocks = self._item(depth)
        while self._accept(","):
            blocks += self._item(depth)
            self._check_count(len(blocks))
        return tuple(blocks)

    def expect_end(self):
        """Raises ArchitectureError unless all text has been parsed."""
        if self._peek():
            self._fail("',' or the end")

    def _item(self, depth):
        count = 1
        if self._peek().isdigit():
            count = self._number("a repetition count", MAX_BLOCKS)
            self._expect("*")
        blocks = self._group(depth) if self._peek() == "(" else [self._block(depth)]
        self._check_count(count * len(blocks))
        return count * list(blocks)

    def _group(self, depth):
        if depth == MAX_DEPTH:
            self._fail(f"at most {MAX_DEPTH} levels of parentheses")
        self._expect("(")
        blocks = self.blocks(depth + 1)
        self._expect(")")
        return blocks

    def _block(self, depth):
        kind = self._peek()
        if kind not in KINDS:
            self._fail(f"a block ({', '.join(KINDS)})")
        self._next += 1
        if kind == "attention":
            heads = self._number("the number of heads")
            kv_heads = self._number("the number of key/value heads") if self._accept("/") else heads
            theta = self._number("the base of the rotation angles", 1_000_000) if self._accept("@") else None
            return Attention(heads, kv_heads, theta)
        if kind == "ffn":
            return FeedForward(self._number("the number of hidden units"))
        if kind == "nested":
            return Nested(self._number("the number of inner channels"), self._group(depth))
        return Residual(pooling=kind == "pooling")

    def _peek(self):
        return self._tokens[self._next][0]

    def _accept(self, token):
        found = self._peek() == token
        self._next += found
        return found

    def _expect(self, token):
        if not self._accept(token):
            self._fail(f"'{token}'")

    def _number(self, meaning, limit=MAX_WIDTH):
        token = self._peek()
        # Without leading zeros, so that equal blocks have equal texts; the length bounds the conversion.
        if not re.fullmatch("[1-9][0-9]{0,8}", token) or int(token) > limit:
            self._fail(f"{meaning} (1 to {limit})")
        self._next += 1
        return int(token)

    def _check_count(self, count):
        if count > MAX_BLOCKS:
            raise ArchitectureError(f"expected at most {MAX_BLOCKS} blocks, found {count}")

    def _fail(self, expected):
        token, position = self._tokens[self._next]
        found = f"'{token}' at character {position}" if token else "the end"
        raise ArchitectureError(f"expected {expected}, found {found}")
