"""KataGo's nets of the versions 8 to 17 in PyTorch, to be asked on the device where a net learns from them.

Promise: `read_katago(path)` is a module that says of positions what the engine says with the same file and symmetry, but for
the rounding of 16-bit numbers. Blocks may be ordinary, pooling, attention and feed-forward ones. Boards smaller than the
tensor stand in the top left corner. Everything is from the side of the player to move.
"""

import torch
import torch.nn.functional as F
from torch import nn

from learning.honinbo_net import board_mean, pool_value
from learning.katago_file import Layers

PLANES, GLOBALS = 22, 19
# Which of the globals say that no board may come again, and that territory is counted. A game may end without result in
# the absence of the first and, as in src/eval/input.rs, under the second.
SUPERKO, TERRITORY = 6, 9
FIRST, LAST = 8, 17
# Since these versions a file tells its units; has trunk options; a hidden layer before the pass; options of the heads.
OWN_UNITS, TRUNK_OPTIONS, HIDDEN_PASS, HEAD_OPTIONS = 13, 15, 15, 17
LEAD_UNIT = 20.0
# As in src/eval/network.rs: how much of the policy that hopes for surprises is mixed in, where a net has one.
OPTIMISM = 0.2
# Less than any activation.
FAR_BELOW = 1e5


class Held(nn.Module):
    """Numbers of a file under the names of attributes."""

    def hold(self, **tensors):
        """Keeps tensors; a pair is kept as `name` and `name_shift`."""
        for name, value in tensors.items():
            if isinstance(value, tuple):
                self.register_buffer(name, value[0])
                self.register_buffer(name + "_shift", value[1])
            else:
                self.register_buffer(name, value)

    def normed(self, x, name):
        """A folded batch norm."""
        return torch.addcmul(getattr(self, name + "_shift").view(1, -1, 1, 1), x, getattr(self, name).view(1, -1, 1, 1))

    def mapped(self, x, name):
        """A matrix with its bias."""
        return F.linear(x, getattr(self, name), getattr(self, name + "_shift"))


def convolved(x, kernel):
    """A convolution which keeps the board's size."""
    return F.conv2d(x, kernel, padding=kernel.shape[2] // 2)


def pooled(x, mask, largest):
    """KataGo's features of whole boards: [n, 3 * channels]; `mask` [n, 1, h, w] is float."""
    kept = x.float() * mask
    if not largest:
        return pool_value(kept, mask)
    mean, side = board_mean(kept, mask)
    # Other activations than relu fall below the zeros off board.
    most = (x.float() - (1.0 - mask) * FAR_BELOW).amax((2, 3))
    return torch.cat([mean, mean * side / 10.0, most], 1)


class Residual(Held):
    """An ordinary or a pooling block."""

    # Whether a block takes its points in rows, [n, points, channels]. Asked for instead of the class, which compiling hides.
    OF_ROWS = False

    def __init__(self, layers, channels, pooling):
        super().__init__()
        self.pooling = pooling
        self.hold(norm1=layers.norm(channels))
        self.act1 = layers.activation()
        self.hold(conv1=layers.conv(channels))
        width = len(self.conv1)
        if pooling:
            self.hold(pool_conv=layers.conv(channels))
            self.hold(pool_norm=layers.norm(len(self.pool_conv)))
            self.pool_act = layers.activation()
            self.hold(pool_linear=layers.linear(3 * len(self.pool_conv)))
        self.hold(norm2=layers.norm(width))
        self.act2 = layers.activation()
        self.hold(conv2=layers.conv(width))

    def forward(self, x, mask):
        r = self.act1(self.normed(x, "norm1")) * mask.to(x.dtype)
        y = convolved(r, self.conv1)
        if self.pooling:
            g = self.pool_act(self.normed(convolved(r, self.pool_conv), "pool_norm"))
            added = F.linear(pooled(g, mask, largest=True).to(x.dtype), self.pool_linear)
            y = y + added[:, :, None, None]
        y = self.act2(self.normed(y, "norm2")) * mask.to(x.dtype)
        return x + convolved(y, self.conv2)


def size_normed(x, weight, epsilon):
    """The RMS norm of each point's channels, the last dimension."""
    return F.rms_norm(x.float(), (x.shape[-1],), weight.float(), epsilon).to(x.dtype)


class Attention(Held):
    """Attention between all points of a board, with rotated queries and keys."""

    OF_ROWS = True

    def __init__(self, layers, channels):
        super().__init__()
        self.heads, self.kv_heads, self.width, self.value_width = (layers.number() for _ in range(4))
        turned, learnt = layers.number(), layers.number()
        layers.begin()
        layers.exactly(channels)
        self.epsilon = layers.number(float)
        self.hold(norm=layers.numbers(channels))
        self.hold(queries=torch.cat([layers.linear(channels) for _ in range(3)]))
        self.hold(out=layers.linear(self.heads * self.value_width))
        self.hold(angles=self._angles(layers, turned, learnt))

    def _angles(self, layers, turned, learnt):
        """Radians for a step to the next column and row, [heads of keys or 1, pairs, 2]."""
        pairs = self.width // 2
        if not turned:
            return torch.zeros(1, pairs, 2)
        layers.begin()
        if learnt:
            for count in (self.kv_heads, pairs, 2):
                layers.exactly(count)
            return layers.numbers(self.kv_heads, pairs, 2)
        theta, half = layers.number(float), pairs // 2
        steps = theta ** (-2.0 * torch.arange(pairs) / pairs)
        angles = torch.zeros(1, pairs, 2)
        angles[0, :half, 1] = steps[:half]
        angles[0, half:, 0] = steps[: pairs - half]
        return angles

    def _turns(self, height, width):
        points = torch.arange(height * width, device=self.angles.device)
        steps = torch.stack([points % width, points // width], 1).float()
        angles = torch.einsum("pd,kid->kpi", steps, self.angles.float())
        return angles.cos(), angles.sin()

    def _turn(self, x, turns, repeat):
        """`x` [n, heads, points, width]."""
        cos, sin = (t.repeat_interleave(repeat, 0) if len(t) > 1 else t for t in turns)
        a, b = x.float().unflatten(3, (-1, 2)).unbind(4)
        return torch.stack([a * cos - b * sin, a * sin + b * cos], 4).flatten(3).to(x.dtype)

    def forward(self, x, mask, height, width):
        """`x` [n, points, channels]; `mask` [n, points] or None."""
        n, points, _ = x.shape
        y = F.linear(size_normed(x, self.norm, self.epsilon), self.queries)
        sizes = [self.heads * self.width, self.kv_heads * self.width, self.kv_heads * self.value_width]
        query, key, value = (part.view(n, points, heads, -1).transpose(1, 2) for part, heads in
                             zip(y.split(sizes, 2), (self.heads, self.kv_heads, self.kv_heads)))
        turns, group = self._turns(height, width), self.heads // self.kv_heads
        query, key = self._turn(query, turns, group), self._turn(key, turns, 1)
        if group > 1:
            key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
        seen = None if mask is None else mask[:, None, None, :].expand(n, self.heads, points, points)
        mixed = F.scaled_dot_product_attention(query, key, value.contiguous(), attn_mask=seen)
        return x + F.linear(mixed.transpose(1, 2).reshape(n, points, -1), self.out)


class FeedForward(Held):
    """A wide gated layer at each point."""

    OF_ROWS = True

    def __init__(self, layers, channels):
        super().__init__()
        layers.exactly(channels)
        inner = layers.number()
        layers.exactly(1)
        layers.begin()
        layers.exactly(channels)
        self.epsilon = layers.number(float)
        self.hold(norm=layers.numbers(channels))
        self.hold(wide=layers.linear(channels), gate=layers.linear(channels), out=layers.linear(inner))

    def forward(self, x, _mask, _height, _width):
        y = size_normed(x, self.norm, self.epsilon)
        return x + F.linear(F.silu(F.linear(y, self.wide)) * F.linear(y, self.gate), self.out)


class Tip(Held):
    """The trunk's last norm."""

    def __init__(self, layers, channels, by_size):
        super().__init__()
        self.by_size = by_size
        if by_size:
            layers.begin()
            layers.exactly(channels)
            self.epsilon = layers.number(float)
            self.over_board = layers.number() == 1
            layers.exactly(0)
            self.hold(norm=(layers.numbers(channels), layers.numbers(channels)))
        else:
            self.hold(norm=layers.norm(channels))
        self.act = layers.activation()

    def forward(self, x, mask):
        if self.by_size:
            square = (x.float() * mask).square().mean(1, keepdim=True)
            if self.over_board:
                square = square.sum((2, 3), keepdim=True) / mask.sum((2, 3), keepdim=True)
            x = (x.float() * torch.rsqrt(square + self.epsilon)).to(x.dtype)
        return self.act(self.normed(x, "norm")) * mask.to(x.dtype)


class Policy(Held):
    """The policy head; of several policies the first two are mixed."""

    def __init__(self, layers, channels):
        super().__init__()
        layers.begin()
        if layers.version >= HEAD_OPTIONS:
            layers.number()
            layers.options(3)
        self.hold(conv=layers.conv(channels), pool_conv=layers.conv(channels))
        width, pools = len(self.conv), 3 * len(self.pool_conv)
        self.hold(pool_norm=layers.norm(len(self.pool_conv)))
        self.pool_act = layers.activation()
        self.hold(pool_linear=layers.linear(pools), norm=layers.norm(width))
        self.act = layers.activation()
        self.hold(out=self._mixed(layers.conv(width)))
        self.hidden_act = None
        if layers.version >= HIDDEN_PASS:
            self.hold(hidden=layers.biased(pools))
            self.hidden_act = layers.activation()
            pools = width
        self.hold(pass_out=self._mixed(layers.linear(pools)))

    @staticmethod
    def _mixed(kinds):
        return kinds[:1] if len(kinds) == 1 else kinds[:1].lerp(kinds[1:2], OPTIMISM)

    def forward(self, x, mask):
        g = pooled(self.pool_act(self.normed(convolved(x, self.pool_conv), "pool_norm")), mask, largest=True).to(x.dtype)
        y = convolved(x, self.conv) + F.linear(g, self.pool_linear)[:, :, None, None]
        y = convolved(self.act(self.normed(y, "norm")), self.out)
        if self.hidden_act is not None:
            g = self.hidden_act(self.mapped(g, "hidden"))
        return torch.cat([y.flatten(1), F.linear(g, self.pass_out)], 1).float()


class Value(Held):
    """The value head."""

    def __init__(self, layers, channels):
        super().__init__()
        layers.begin()
        if layers.version >= HEAD_OPTIONS:
            layers.options(3)
        self.hold(conv=layers.conv(channels))
        width = len(self.conv)
        self.hold(norm=layers.norm(width))
        self.act = layers.activation()
        self.hold(hidden=layers.biased(3 * width))
        self.hidden_act = layers.activation()
        units = len(self.hidden)
        self.hold(result=layers.biased(units), score=layers.biased(units), ownership=layers.conv(width))

    def forward(self, x, mask):
        """Logits of win, loss and no result; the score's numbers; the owners."""
        y = self.act(self.normed(convolved(x, self.conv), "norm"))
        hidden = self.hidden_act(self.mapped(pooled(y, mask, largest=False).to(x.dtype), "hidden"))
        owners = torch.tanh(convolved(y, self.ownership)[:, 0].float()) * mask[:, 0]
        return self.mapped(hidden, "result").float(), self.mapped(hidden, "score").float(), owners


class KataNet(Held):
    """A whole net."""

    # What is compiled, part by part.
    PARTS = ("blocks", "tip", "policy", "value")

    def __init__(self, layers):
        super().__init__()
        layers.begin()
        layers.version = layers.number()
        if not FIRST <= layers.version <= LAST:
            layers.fail(f"a net of version {FIRST} to {LAST}", layers.version)
        layers.exactly(PLANES)
        layers.exactly(GLOBALS)
        units = [layers.number(float) for _ in range(7)] if layers.version >= OWN_UNITS else [LEAD_UNIT] * 7
        self.lead_unit = units[3]
        if layers.version >= TRUNK_OPTIONS:
            layers.exactly(0)
            layers.number()
            layers.options(6)
        layers.begin()
        count, channels = layers.number(), layers.number()
        for _ in range(4):
            layers.number()
        by_size = False
        if layers.version >= TRUNK_OPTIONS:
            by_size = layers.number() == 1
            layers.options(5)
        self.hold(stem=layers.conv(PLANES), stem_globals=layers.linear(GLOBALS))
        self.blocks = nn.ModuleList(read_block(layers, channels) for _ in range(count))
        self.tip = Tip(layers, channels, by_size)
        self.policy, self.value = Policy(layers, channels), Value(layers, channels)

    def forward(self, planes, globals_, mask=None):
        """Of planes [n, 22, h, w], globals [n, 19] and mask [n, 1, h, w] (None: all on board): policy logits [n, h*w + 1],
        those off board not masked; value [n] in -1..1; lead [n] in points; owners [n, h, w] in -1..1; all float32."""
        kind = self.stem.dtype
        whole = torch.ones_like(planes[:, :1], dtype=torch.float32) if mask is None else mask
        x = convolved(planes.to(kind), self.stem) + F.linear(globals_.to(kind), self.stem_globals)[:, :, None, None]
        x = x * whole.to(kind)
        height, width = planes.shape[2:]
        seen = None if mask is None else mask.flatten(1) > 0
        for block in self.blocks:
            if block.OF_ROWS:
                rows = block(x.flatten(2).transpose(1, 2), seen, height, width)
                x = rows.transpose(1, 2).unflatten(2, (height, width))
            else:
                x = block(x, whole)
        x = self.tip(x, whole)
        result, score, owners = self.value(x, whole)
        ends = (globals_[:, SUPERKO] > 0) & (globals_[:, TERRITORY] == 0)
        result[:, 2] = result[:, 2].masked_fill(ends, float("-inf"))
        win, loss, none = result.softmax(1).unbind(1)
        lead = score[:, 2] * self.lead_unit * (1.0 - none)
        return self.policy(x, whole), win - loss, lead, owners


def read_block(layers, channels):
    """The next block of the trunk."""
    kinds = {
        "ordinary_block": lambda: Residual(layers, channels, pooling=False),
        "gpool_block": lambda: Residual(layers, channels, pooling=True),
        "transformer_attention_block": lambda: Attention(layers, channels),
        "transformer_ffn_block": lambda: FeedForward(layers, channels),
    }
    kind = layers.word()
    if kind not in kinds:
        layers.fail("one of " + ", ".join(kinds), kind[:40])
    layers.begin()
    return kinds[kind]()


def read_katago(path):
    """The net of a file, in float32 on the CPU. Raises TeacherError."""
    return KataNet(Layers(path)).eval().requires_grad_(False)
