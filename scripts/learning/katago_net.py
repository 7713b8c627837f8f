"""KataGo networks of versions 8 to 17 in PyTorch, to serve as teachers.

`read_katago(path)` computes the outputs of the engine with the same file and symmetry, up to rounding. Boards smaller
than the grid occupy its top-left corner; off-board values never influence on-board outputs. All outputs are from the
perspective of the player to move.

Activations have the shape [n, height, width, channels] throughout, and `mask` is [n, height, width, 1] in float32, or
None if every board fills the grid. Residual sums, norms, activation functions, the readout and the last layers of the
heads are always float32. Only matrix products and convolutions of the trunk, attention, and the first convolutions of
the heads run in the precision that `KataNet.prepared` selects, so the trunk cannot overflow float16 and does not lose
small updates to bfloat16.
"""

import torch
import torch.nn.functional as F
from torch import nn

from learning.katago_file import MAX_WIDTH, Layers, TeacherError
from learning.katago_readout import Readout

PLANES, GLOBALS = 22, 19
# Globals that tell whether games can end without result: positions may repeat (no superko), or territory is scored.
SUPERKO, TERRITORY = 6, 9
FIRST_VERSION, LAST_VERSION = 8, 17
# First versions with trunk options, with a hidden layer before the pass logit, and with head options.
TRUNK_OPTIONS, HIDDEN_PASS, HEAD_OPTIONS = 15, 15, 17
# Weight of the optimistic policy, for networks that have one; OPTIMISM in src/eval/network.rs.
OPTIMISM = 0.2
# Board side at which the pooled features that encode the board size are zero.
CENTRE_SIDE = 14.0
# Limits as in src/net/spec/check.rs.
MAX_SIDE, MAX_BLOCKS, MAX_DEPTH, MAX_HEAD_FACTOR = 19, 512, 4, 16


def masked(x, mask):
    """Returns `x` with zeros off board."""
    return x if mask is None else x * mask


def board_mean(x, mask):
    """Returns the mean over each board, [n, channels], and the side of a square board of its area minus CENTRE_SIDE."""
    if mask is None:
        return x.mean((1, 2)), (x.shape[1] * x.shape[2]) ** 0.5 - CENTRE_SIDE
    area = mask.sum((1, 2))
    return (x * mask).sum((1, 2)) / area, area.sqrt() - CENTRE_SIDE


def pool_mean_max(x, mask):
    """Returns mean, mean scaled by the board side, and maximum over each board, [n, 3 * channels]."""
    mean, side = board_mean(x, mask)
    largest = x if mask is None else x.masked_fill(mask == 0, float("-inf"))
    return torch.cat([mean, mean * side / 10.0, largest.amax((1, 2))], 1)


def pool_mean(x, mask):
    """Returns mean, and mean scaled by the board side and by its square, over each board, [n, 3 * channels]."""
    mean, side = board_mean(x, mask)
    return torch.cat([mean, mean * side / 10.0, mean * (side * side / 100.0 - 0.1)], 1)


class Product(nn.Module):
    """A layer that computes in the type of its weights, whatever the type of its input."""

    def __init__(self, weight, bias=None):
        super().__init__()
        self.register_buffer("weight", weight)
        self.register_buffer("bias", bias)


class Linear(Product):
    """A matrix product over the last dimension."""

    def forward(self, x):
        return F.linear(x.to(self.weight.dtype), self.weight, self.bias)


class Convolution(Product):
    """A convolution that preserves the size of the board; off-board inputs must be zero unless the kernel is 1x1."""

    def forward(self, x):
        x = x.to(self.weight.dtype)
        height, width = self.weight.shape[2:]
        if (height, width) == (1, 1):
            return F.linear(x, self.weight[:, :, 0, 0])
        y = F.conv2d(x.permute(0, 3, 1, 2), self.weight, padding=(height // 2, width // 2))
        return y.permute(0, 2, 3, 1)


class Affine(nn.Module):
    """A batch norm with fixed statistics: scale and shift per channel. The output is float32."""

    def __init__(self, scale, shift):
        super().__init__()
        self.register_buffer("scale", scale)
        self.register_buffer("shift", shift)

    def forward(self, x):
        return torch.addcmul(self.shift, x.float(), self.scale)


class RmsNorm(nn.Module):
    """Divides the channels of each point by their root mean square, then scales them."""

    def __init__(self, layers, channels):
        super().__init__()
        layers.begin()
        layers.exactly(channels)
        self.epsilon = layers.positive()
        self.register_buffer("weight", layers.numbers(channels))

    def forward(self, x):
        return F.rms_norm(x.float(), (x.shape[-1],), self.weight, self.epsilon)


class NormConv(nn.Module):
    """Norm, activation, convolution: `conv(act(norm(x)))`."""

    def __init__(self, layers, channels, outputs=None):
        super().__init__()
        self.norm = Affine(*layers.norm(channels))
        self.act = layers.activation()
        self.conv = Convolution(layers.conv(channels, outputs))
        self.outputs = len(self.conv.weight)

    def activated(self, x, mask):
        """Returns the input of the convolution."""
        return masked(self.act(self.norm(x)), mask)

    def forward(self, x, mask):
        return self.conv(self.activated(x, mask))


class Pool(nn.Module):
    """Pooled features of the board that are added to a convolution: `linear(pool(act(norm(conv(x)))))`."""

    def __init__(self, layers, channels):
        super().__init__()
        self.conv = Convolution(layers.conv(channels))
        self.outputs = 3 * len(self.conv.weight)
        self.norm = Affine(*layers.norm(len(self.conv.weight)))
        self.act = layers.activation()

    def forward(self, x, mask):
        """Returns pooled features [n, outputs] in float32."""
        return pool_mean_max(self.act(self.norm(self.conv(x))), mask)


class Residual(nn.Module):
    """`x + conv2(act2(norm2(conv1(act1(norm1(x))))))`."""

    def __init__(self, layers, channels, _depth):
        super().__init__()
        self.first = NormConv(layers, channels)
        self.second = NormConv(layers, self.first.outputs, channels)

    def forward(self, x, mask):
        return x + self.second(self.first(x, mask), mask)


class PoolingResidual(nn.Module):
    """A residual block that adds pooled features to the output of its first convolution."""

    def __init__(self, layers, channels, _depth):
        super().__init__()
        self.first = NormConv(layers, channels)
        self.pool = Pool(layers, channels)
        self.pool_linear = Linear(layers.linear(self.pool.outputs, self.first.outputs))
        self.second = NormConv(layers, self.first.outputs, channels)

    def forward(self, x, mask):
        inputs = self.first.activated(x, mask)
        added = self.pool_linear(self.pool(inputs, mask))
        return x + self.second(self.first.conv(inputs) + added[:, None, None, :], mask)


class Nested(nn.Module):
    """`x + up(up_act(up_norm(blocks(down(down_act(down_norm(x)))))))`: blocks on fewer channels."""

    def __init__(self, layers, channels, depth):
        super().__init__()
        if depth == MAX_DEPTH:
            layers.fail(f"at most {MAX_DEPTH} levels of nested blocks", "more")
        count = layers.count(MAX_BLOCKS)
        self.down = NormConv(layers, channels)
        self.blocks = read_blocks(layers, count, self.down.outputs, depth + 1)
        self.up = NormConv(layers, self.down.outputs, channels)

    def forward(self, x, mask):
        inner = self.down(x, mask).float()
        for block in self.blocks:
            inner = block(inner, mask)
        return x + self.up(inner, mask)


class Attention(nn.Module):
    """`x + out(attention(q, k, v))` of `norm(x)` over all points of a board, with rotary position embedding of queries
    and keys. Consecutive query heads share a key and value head."""

    def __init__(self, layers, channels, _depth):
        super().__init__()
        limit = min(MAX_HEAD_FACTOR * channels, MAX_WIDTH)
        self.heads = layers.count(limit)
        self.kv_heads = layers.count(self.heads)
        if self.heads % self.kv_heads:
            layers.fail(f"a number of key heads that divides {self.heads}", self.kv_heads)
        self.width, value_width = layers.count(limit // self.heads), layers.count(limit // self.heads)
        is_rotated, is_learnt = layers.number(), layers.number()
        if is_rotated and self.width % 2:
            layers.fail("an even query width", self.width)
        self.norm = RmsNorm(layers, channels)
        self.sizes = [self.heads * self.width, self.kv_heads * self.width, self.kv_heads * value_width]
        self.projections = Linear(torch.cat([layers.linear(channels, size) for size in self.sizes]))
        self.out = Linear(layers.linear(self.heads * value_width, channels))
        self._hold_rotations(self._read_angles(layers, is_learnt) if is_rotated else None)

    def _read_angles(self, layers, is_learnt):
        """Reads the radians per column and per row, [kv_heads, pairs, 2]."""
        pairs = self.width // 2
        layers.begin()
        if is_learnt:
            for count in (self.kv_heads, pairs, 2):
                layers.exactly(count)
            return layers.numbers(self.kv_heads, pairs, 2)
        theta, half = layers.positive(), pairs // 2
        steps = theta ** (-2.0 * torch.arange(pairs) / pairs)
        angles = torch.zeros(pairs, 2)
        angles[:half, 1] = steps[:half]
        angles[half:, 0] = steps[: pairs - half]
        return angles.expand(self.kv_heads, pairs, 2)

    def _hold_rotations(self, angles):
        """Stores cosines and sines for every point of the largest board, [side, side, heads, pairs]; None without
        rotation."""
        cos = sin = None
        if angles is not None:
            rows, columns = torch.meshgrid(torch.arange(MAX_SIDE), torch.arange(MAX_SIDE), indexing="ij")
            points = torch.stack([columns, rows], 2).float()
            turns = torch.einsum("hwd,kpd->hwkp", points, angles).repeat_interleave(self.heads // self.kv_heads, 2)
            cos, sin = turns.cos(), turns.sin()
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)

    def _rotate(self, x, height, width, group):
        """Returns `x` [n, points, heads, width] with each pair of channels rotated; `group` query heads share one head
        of `x`."""
        if self.cos is None:
            return x
        cos, sin = (table[:height, :width, ::group].flatten(0, 1) for table in (self.cos, self.sin))
        a, b = x.float().unflatten(3, (-1, 2)).unbind(4)
        return torch.stack([a * cos - b * sin, a * sin + b * cos], 4).flatten(3).to(x.dtype)

    def forward(self, x, mask):
        height, width = x.shape[1:3]
        group = self.heads // self.kv_heads
        parts = self.projections(self.norm(x)).flatten(1, 2).split(self.sizes, 2)
        query, key, value = (part.unflatten(2, (heads, -1)) for part, heads in
                             zip(parts, (self.heads, self.kv_heads, self.kv_heads)))
        query, key = self._rotate(query, height, width, 1), self._rotate(key, height, width, group)
        query, key, value = (part.transpose(1, 2) for part in (query, key, value))
        if group > 1:
            key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
        visible = None if mask is None else mask.flatten(1)[:, None, None, :] > 0
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=visible)
        return x + self.out(mixed.transpose(1, 2).flatten(2)).unflatten(1, (height, width))


class FeedForward(nn.Module):
    """`x + out(silu(wide(norm(x))) * gate(norm(x)))` at each point."""

    def __init__(self, layers, channels, _depth):
        super().__init__()
        layers.exactly(channels)
        inner = layers.count(MAX_WIDTH)
        layers.exactly(1)
        self.norm = RmsNorm(layers, channels)
        wide, gate = layers.linear(channels, inner), layers.linear(channels, inner)
        self.wide_and_gate = Linear(torch.cat([wide, gate]))
        self.out = Linear(layers.linear(inner, channels))

    def forward(self, x, _mask):
        wide, gate = self.wide_and_gate(self.norm(x)).chunk(2, 3)
        return x + self.out(F.silu(wide) * gate)


BLOCK_KINDS = {
    "ordinary_block": Residual,
    "gpool_block": PoolingResidual,
    "nested_bottleneck_block": Nested,
    "transformer_attention_block": Attention,
    "transformer_ffn_block": FeedForward,
}


def read_blocks(layers, count, channels, depth=0):
    """Reads `count` blocks on `channels` channels, at nesting level `depth`."""
    blocks = nn.ModuleList()
    for _ in range(count):
        kind = layers.word()
        if kind not in BLOCK_KINDS:
            layers.fail("one of " + ", ".join(BLOCK_KINDS), kind[:40])
        layers.begin()
        blocks.append(BLOCK_KINDS[kind](layers, channels, depth))
    return blocks


class Tip(nn.Module):
    """The last norm and activation of the trunk. An RMS norm may take the mean over the whole board."""

    def __init__(self, layers, channels, is_rms):
        super().__init__()
        self.is_rms = is_rms
        if is_rms:
            layers.begin()
            layers.exactly(channels)
            self.epsilon = layers.positive()
            self.over_board = layers.number() == 1
            layers.exactly(0)
            self.norm = Affine(layers.numbers(channels), layers.numbers(channels))
        else:
            self.norm = Affine(*layers.norm(channels))
        self.act = layers.activation()

    def forward(self, x, mask):
        if self.is_rms:
            square = x.square().mean(3, keepdim=True)
            if self.over_board:
                square = board_mean(square, mask)[0][:, None, None, :]
            x = x * torch.rsqrt(square + self.epsilon)
        return masked(self.act(self.norm(x)), mask)


class Policy(nn.Module):
    """The policy head. If the network has several policies, its last layers hold the mixture of the first two."""

    def __init__(self, layers, channels):
        super().__init__()
        layers.begin()
        outputs = self._read_outputs(layers)
        self.conv = Convolution(layers.conv(channels))
        width = len(self.conv.weight)
        self.pool = Pool(layers, channels)
        self.pool_linear = Linear(layers.linear(self.pool.outputs, width))
        self.norm = Affine(*layers.norm(width))
        self.act = layers.activation()
        self.out = Convolution(self._mixed(layers.conv(width, outputs)))
        self.hidden = self.hidden_act = None
        inputs = self.pool.outputs
        if layers.version >= HIDDEN_PASS:
            self.hidden = Linear(*layers.biased(inputs, width))
            self.hidden_act = layers.activation()
            inputs = width
        self.pass_out = Linear(self._mixed(layers.linear(inputs, outputs)))

    @staticmethod
    def _read_outputs(layers):
        """Reads the number of policies."""
        if layers.version < HEAD_OPTIONS:
            return 1 if layers.version < 12 else 2 if layers.version < 16 else 4
        outputs = layers.count(4)
        if outputs % 2:
            layers.fail("2 or 4 policies", outputs)
        layers.options(3)
        return outputs

    @staticmethod
    def _mixed(weight):
        return weight if len(weight) == 1 else weight[:1].lerp(weight[1:2], OPTIMISM)

    def forward(self, x, mask):
        """Returns logits [n, height * width + 1] in float32."""
        pooled = self.pool(x, mask)
        y = self.conv(x) + self.pool_linear(pooled)[:, None, None, :]
        points = self.out(masked(self.act(self.norm(y)), mask))
        if self.hidden is not None:
            pooled = self.hidden_act(self.hidden(pooled))
        return torch.cat([points.flatten(1), self.pass_out(pooled)], 1)


class Value(nn.Module):
    """The value head."""

    def __init__(self, layers, channels, scores):
        super().__init__()
        layers.begin()
        if layers.version >= HEAD_OPTIONS:
            layers.options(3)
        self.conv = Convolution(layers.conv(channels))
        width = len(self.conv.weight)
        self.norm = Affine(*layers.norm(width))
        self.act = layers.activation()
        self.hidden = Linear(*layers.biased(3 * width))
        self.hidden_act = layers.activation()
        units = len(self.hidden.weight)
        self.result = Linear(*layers.biased(units, 3))
        self.score = Linear(*layers.biased(units, scores))
        self.ownership = Convolution(layers.conv(width, 1))

    def forward(self, x, mask):
        """Returns logits of win, loss and no result [n, 3], raw scores [n, scores], and ownership [n, height, width],
        all in float32."""
        y = masked(self.act(self.norm(self.conv(x))), mask)
        hidden = self.hidden_act(self.hidden(pool_mean(y, mask)))
        ownership = masked(torch.tanh(self.ownership(y)), mask)
        return self.result(hidden), self.score(hidden), ownership[..., 0]


class KataNet(nn.Module):
    """A whole network, in evaluation mode without gradients."""

    # Submodules that `learning.compiling` compiles separately.
    PARTS = ("blocks", "tip", "policy", "value")

    def __init__(self, layers):
        super().__init__()
        self.name = layers.begin()
        layers.version = layers.number()
        if not FIRST_VERSION <= layers.version <= LAST_VERSION:
            layers.fail(f"a net of version {FIRST_VERSION} to {LAST_VERSION}", layers.version)
        layers.exactly(PLANES)
        layers.exactly(GLOBALS)
        self.readout = Readout.read(layers)
        self.suicide_areas = False
        if layers.version >= TRUNK_OPTIONS:
            # No profile input; then whether pass-alive areas are computed as if suicide were legal.
            layers.exactly(0)
            self.suicide_areas = layers.number() == 1
            layers.options(6)
        self._read_trunk(layers)
        self.policy = Policy(layers, self.channels)
        self.value = Value(layers, self.channels, self.readout.scores)
        layers.end()
        self.eval().requires_grad_(False)

    def _read_trunk(self, layers):
        layers.begin()
        count, self.channels = layers.count(MAX_BLOCKS), layers.count(MAX_WIDTH)
        for _unused_width in range(4):
            layers.number()
        is_rms = False
        if layers.version >= TRUNK_OPTIONS:
            is_rms = layers.number() == 1
            layers.options(5)
        self.stem = Convolution(layers.conv(PLANES, self.channels))
        self.stem_globals = Linear(layers.linear(GLOBALS, self.channels))
        self.blocks = read_blocks(layers, count, self.channels)
        self.tip = Tip(layers, self.channels, is_rms)

    def prepared(self, device, precision):
        """Moves the network to `device` and its trunk to the type `precision`, and returns it; TeacherError if weights
        exceed the range of that type."""
        self.to(device)
        trunk = [layer for block in self.blocks for layer in block.modules() if isinstance(layer, Product)]
        for layer in [self.stem, *trunk, self.policy.conv, self.policy.pool.conv, self.value.conv]:
            layer.to(precision)
            if not layer.weight.isfinite().all():
                raise TeacherError(f"{self.name}: weights exceed the range of {precision}")
        return self

    def forward(self, planes, globals_, mask=None):
        """Returns the Prediction for planes [n, 22, height, width] and globals [n, 19] of any type; `mask` [n, 1,
        height, width] is 1 on board, or None if every board fills the grid."""
        if mask is not None:
            mask = mask.permute(0, 2, 3, 1).float()
        planes = masked(planes.permute(0, 2, 3, 1).contiguous(), mask)
        globals_ = globals_.float()
        x = masked(self.stem(planes) + self.stem_globals(globals_)[:, None, None, :], mask)
        for block in self.blocks:
            x = block(x, mask)
        x = self.tip(x, mask)
        has_no_result = (globals_[:, SUPERKO] == 0) | (globals_[:, TERRITORY] > 0)
        result, score, ownership = self.value(x, mask)
        return self.readout.predict(self.policy(x, mask), result, score, ownership, has_no_result)


def read_katago(path):
    """Reads the network of a file, in float32 on the CPU. Raises TeacherError."""
    return KataNet(Layers(path))
