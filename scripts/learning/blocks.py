"""Blocks of the trunk in PyTorch, with the formulas of `src/net/spec/blocks.rs`.

All take activations [n, channels, h, w] and a mask [n, 1, h, w] (None: every point is on board) and add their result to
the activations. Off-board points never influence on-board ones. Module names match the net files.
"""

import torch
import torch.nn.functional as F
from torch import nn

from learning import architecture
from learning.convolution import Convolution, joined
from learning.norm import Norm, RmsNorm
from learning.pooling import pool_max

# Base of the initial learnt rotation angles: from 1 radian per point down to nearly 1 / THETA.
LEARNT_THETA = 10.0


def exact(x):
    """Context in which layers compute in float32 although the trunk runs in bfloat16."""
    return torch.autocast(x.device.type, enabled=False)


def make_blocks(blocks, channels, config):
    """Returns the modules for a list of architecture blocks on `channels` channels."""
    return nn.ModuleList(make_block(block, channels, config) for block in blocks)


def make_block(block, channels, config):
    """Returns the module for an architecture block."""
    match block:
        case architecture.Residual(pooling=pooling):
            return Residual(channels, config.activation, config.pool_channels if pooling else None)
        case architecture.Attention(heads=heads, kv_heads=kv_heads, theta=theta):
            return Attention(channels, heads, kv_heads, theta)
        case architecture.FeedForward(width=width):
            return FeedForward(channels, width)
        case architecture.Nested():
            inner = make_blocks(block.blocks, block.channels, config)
            return Nested(channels, block.channels, config.activation, inner)


def initialise_branches(blocks):
    """Initialises the last layer of each block with small weights, so that a deep trunk starts near the identity."""
    for block in blocks:
        weight = block.last_layer().weight
        nn.init.kaiming_normal_(weight, nonlinearity="relu")
        weight.data.mul_(len(blocks) ** -0.5)
        if isinstance(block, Nested):
            initialise_branches(block.blocks)


class Residual(nn.Module):
    """Pre-activation residual block; with `pool_channels`, globally pooled features are added to the first
    convolution."""

    def __init__(self, channels, activation, pool_channels=None):
        super().__init__()
        self.norm1 = Norm(channels, activation)
        self.conv1 = Convolution(channels, channels, 3)
        self.norm2 = Norm(channels, activation)
        self.conv2 = Convolution(channels, channels, 3)
        self.pooling = pool_channels is not None
        if self.pooling:
            self.pool_conv = Convolution(channels, pool_channels, 3)
            self.pool_norm = Norm(pool_channels, activation)
            self.pool_linear = nn.Linear(3 * pool_channels, channels, bias=False)

    def last_layer(self):
        """Returns the layer that adds its output to the trunk."""
        return self.conv2

    def forward(self, x, mask):
        r = self.norm1(x, mask)
        if not self.pooling:
            y = self.conv1(r)
        else:
            y, g = joined(r, self.conv1, self.pool_conv)
            pooled = pool_max(self.pool_norm(g, mask), mask)
            with exact(x):
                added = self.pool_linear(pooled)
            y = y + added.to(y.dtype)[:, :, None, None]
        return x + self.conv2(self.norm2(y, mask))


class Nested(nn.Module):
    """Bottleneck: blocks on fewer channels between two 1x1 convolutions."""

    def __init__(self, channels, inner_channels, activation, blocks):
        super().__init__()
        self.down_norm = Norm(channels, activation)
        self.down = Convolution(channels, inner_channels, 1)
        self.blocks = blocks
        self.up_norm = Norm(inner_channels, activation)
        self.up = Convolution(inner_channels, channels, 1)

    def last_layer(self):
        """Returns the layer that adds its output to the trunk."""
        return self.up

    def forward(self, x, mask):
        y = self.down(self.down_norm(x, mask))
        for block in self.blocks:
            y = block(y, mask)
        return x + self.up(self.up_norm(y, mask))


class Attention(nn.Module):
    """Self-attention between all points of a board, with rotary position embedding."""

    def __init__(self, channels, heads, kv_heads, theta):
        super().__init__()
        self.heads, self.kv_heads, self.theta = heads, kv_heads, theta
        width = channels // heads
        self.norm = RmsNorm(channels)
        self.query = nn.Linear(channels, heads * width, bias=False)
        self.key = nn.Linear(channels, kv_heads * width, bias=False)
        self.value = nn.Linear(channels, kv_heads * width, bias=False)
        self.out = nn.Linear(heads * width, channels, bias=False)
        # Radians per column and per row: [kv_heads or 1, pairs, 2].
        if theta is None:
            self.angles = nn.Parameter(initial_angles(kv_heads, width // 2))
        else:
            self.register_buffer("angles", fixed_angles(theta, width // 2), persistent=False)

    def initialise(self):
        """Initialises the projections for inputs of unit variance, unlike inputs after a relu."""
        for layer in (self.query, self.key, self.value):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="linear")

    def last_layer(self):
        """Returns the layer that adds its output to the trunk."""
        return self.out

    def forward(self, x, mask):
        height, width = x.shape[2:]
        rows = points_last(x)
        layers = (self.query, self.key, self.value)
        projected = F.linear(self.norm(rows), torch.cat([layer.weight for layer in layers]))
        split = projected.split([layer.out_features for layer in layers], 2)
        counts = (self.heads, self.kv_heads, self.kv_heads)
        query, key, value = (part.unflatten(2, (count, -1)).transpose(1, 2) for part, count in zip(split, counts))
        cos, sin = self._rotations(height, width)
        group = self.heads // self.kv_heads
        key = rotate(key, cos, sin)
        if group > 1:
            key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
            if len(cos) > 1:
                cos, sin = cos.repeat_interleave(group, 0), sin.repeat_interleave(group, 0)
        query = rotate(query, cos, sin)
        on_board = None if mask is None else mask.flatten(2)[:, :, None] > 0.0
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=on_board)
        return x + points_first(self.out(mixed.transpose(1, 2).flatten(2)), height, width)

    def _rotations(self, height, width):
        """Returns cosines and sines of the rotation angles, [heads, points, pairs]."""
        points = torch.arange(height * width, device=self.angles.device)
        steps = torch.stack([points % width, points // width], 1).float()
        with exact(steps):
            angles = (steps @ self.angles.flatten(0, 1).T).unflatten(1, self.angles.shape[:2]).transpose(0, 1)
        return angles.cos(), angles.sin()


class FeedForward(nn.Module):
    """Gated hidden layer at each point."""

    def __init__(self, channels, width):
        super().__init__()
        self.norm = RmsNorm(channels)
        self.wide = nn.Linear(channels, width, bias=False)
        self.gate = nn.Linear(channels, width, bias=False)
        self.out = nn.Linear(width, channels, bias=False)

    def initialise(self):
        """Initialises the hidden layer for inputs of unit variance, unlike inputs after a relu."""
        for layer in (self.wide, self.gate):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="linear")

    def last_layer(self):
        """Returns the layer that adds its output to the trunk."""
        return self.out

    def forward(self, x, _mask):
        height, width = x.shape[2:]
        hidden = F.linear(self.norm(points_last(x)), torch.cat([self.wide.weight, self.gate.weight]))
        wide, gate = hidden.chunk(2, 2)
        return x + points_first(self.out(F.silu(wide) * gate), height, width)


def points_last(x):
    """Converts [n, channels, h, w] to [n, points, channels]; returns a view if `x` is in the channels-last memory
    format."""
    return x.permute(0, 2, 3, 1).flatten(1, 2)


def points_first(rows, height, width):
    """Converts [n, points, channels] to [n, channels, h, w]."""
    return rows.unflatten(1, (height, width)).permute(0, 3, 1, 2)


def rotate(x, cos, sin):
    """Rotates each pair of channels (2p, 2p + 1) of `x` [n, heads, points, width] by its angle."""
    a, b = x.float().unflatten(3, (-1, 2)).unbind(4)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], 4).flatten(3).to(x.dtype)


def fixed_angles(theta, pairs):
    """Returns angles per column and row, [1, pairs, 2]: the first half of the pairs rotates with the row, the rest with
    the column."""
    half = pairs // 2
    steps = float(theta) ** (-2.0 * torch.arange(pairs) / pairs)
    angles = torch.zeros(1, pairs, 2)
    angles[0, :half, 1] = steps[:half]
    angles[0, half:, 0] = steps[:pairs - half]
    return angles


def initial_angles(kv_heads, pairs):
    """Returns the initial learnt angles: the fixed ones, with the two axes of each head rotated by a random angle.

    (Heo et al., "Rotary Position Embedding for Vision Transformer", 2024.)
    """
    turn = 2.0 * torch.pi * torch.rand(kv_heads, 1)
    right, down = fixed_angles(LEARNT_THETA, pairs).unbind(2)
    return torch.stack([right * turn.cos() - down * turn.sin(), right * turn.sin() + down * turn.cos()], 2)
