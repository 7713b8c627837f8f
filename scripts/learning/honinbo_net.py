"""The network of Honinbo in PyTorch, and its file.

Promise: module names, tensor shapes and formulas are those of the net file (`honinbo-net`, version 1), so that
`state_dict` and file correspond one to one. Boards smaller than the tensor stand in the top left corner; what lies
off board never influences an output on board. Values are from the side of the player to move.
"""

import json
from dataclasses import asdict, dataclass, field

import torch
import torch.nn.functional as F
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from files import put
from learning.convolution import Convolution, joined
from learning.norm import Norm

# The score output counts in units of this many points.
SCORE_SCALE = 20.0
# Board side at which the pooled features which tell the board size are zero.
CENTRE_SIDE = 14.0


# The sizes of a configuration, each with the least that it may be, and the most that any may.
LEAST = {"planes": 1, "globals": 0, "channels": 1, "pool_channels": 1, "policy_channels": 1, "value_channels": 1, "value_hidden": 1}
MOST = 2048


class NetError(Exception):
    """A net file or configuration which cannot be used; the text says what was expected and what was found."""


@dataclass
class NetConfig:
    """The sizes of a network: the JSON under the metadata key `honinbo` of a net file, without format and version."""

    planes: int
    globals: int
    channels: int
    blocks: list = field(default_factory=list)
    pool_channels: int = 32
    policy_channels: int = 32
    value_channels: int = 32
    value_hidden: int = 64
    has_pass: bool = True
    score: bool = True
    ownership: bool = True
    name: str = ""

    def __post_init__(self):
        wrong = [kind for kind in self.blocks if kind not in ("ordinary", "pooling")]
        if wrong:
            raise NetError(f"a block is 'ordinary' or 'pooling', found {wrong[0]!r}")
        if not self.name:
            self.name = f"b{len(self.blocks)}c{self.channels}"

    def to_json(self):
        """The configuration as the text which stands in the net file."""
        entries = asdict(self)
        entries["pass"] = entries.pop("has_pass")
        return json.dumps({"format": "honinbo-net", "version": 1, **entries})

    @staticmethod
    def from_json(text, origin):
        """Reads the text of `to_json`; `origin` names the file in errors."""
        try:
            entries = json.loads(text)
            if (entries.pop("format", None), entries.pop("version", None)) != ("honinbo-net", 1):
                raise NetError(f"{origin}: expected format honinbo-net version 1")
            entries["has_pass"] = entries.pop("pass")
            for name, least in LEAST.items():
                size = entries.get(name, least)
                if type(size) is not int or not least <= size <= MOST:
                    raise NetError(f"{origin}: {name}: expected {least} to {MOST}, found {size!r}")
            return NetConfig(**entries)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise NetError(f"{origin}: unusable net configuration ({error})") from error


def board_mean(x, mask):
    """Mean over the on-board points and (sqrt(points) - 14); both float32, [n, channels] and [n, 1] or a number."""
    if mask is None:
        return x.float().mean((2, 3)), (x.shape[2] * x.shape[3]) ** 0.5 - CENTRE_SIDE
    area = mask.sum((2, 3))
    return x.float().sum((2, 3)) / area, area.sqrt() - CENTRE_SIDE


class BoardMax(torch.autograd.Function):
    """The maximum over each board, [n, channels]; the gradient goes to the first point which has it.

    By index: the gradient of `amax` looks for the values equal to the maximum, and compiled code which rounds the two
    differently finds none, dividing by zero. A comparison of indices, unlike the library's scatter, joins the next pass.
    """

    @staticmethod
    def forward(ctx, x):
        """`x` [n, channels, h, w]."""
        largest, index = x.flatten(2).max(2)
        ctx.save_for_backward(index)
        ctx.shape, ctx.type = x.shape, x.dtype
        return largest.float()

    @staticmethod
    def backward(ctx, grad):
        """The gradient of each maximum, at its point."""
        (index,) = ctx.saved_tensors
        _, _, height, width = ctx.shape
        points = torch.arange(height * width, device=index.device).view(1, 1, height, width)
        chosen = points == index[:, :, None, None]
        return torch.where(chosen, grad[:, :, None, None], 0.0).to(ctx.type)


def pool_max(x, mask):
    """[mean, mean * (s - 14) / 10, max] of a relu's output, zero off board: [n, 3 * channels]."""
    mean, side = board_mean(x, mask)
    # After a relu the zeros off board cannot exceed the maximum on board.
    return torch.cat([mean, mean * side / 10.0, BoardMax.apply(x)], 1)


def pool_value(x, mask):
    """[mean, mean * (s - 14) / 10, mean * ((s - 14)^2 / 100 - 0.1)]: [n, 3 * channels]."""
    mean, side = board_mean(x, mask)
    return torch.cat([mean, mean * side / 10.0, mean * (side * side / 100.0 - 0.1)], 1)


def exact(x):
    """A context in which layers compute in float32 although the trunk runs in bfloat16."""
    return torch.autocast(x.device.type, enabled=False)


class Input(nn.Module):
    """Planes and globals to trunk channels."""

    def __init__(self, config):
        super().__init__()
        self.conv = Convolution(config.planes, config.channels, 3)
        # `global` is a keyword, hence registered by its name.
        wide = config.globals > 0
        self.add_module("global", nn.Linear(config.globals, config.channels, bias=False) if wide else None)

    def forward(self, planes, globals_):
        x = self.conv(planes)
        layer = getattr(self, "global")
        if layer is None:
            return x
        with exact(x):
            added = layer(globals_)
        return x + added.to(x.dtype)[:, :, None, None]


class Block(nn.Module):
    """A pre-activation residual block; the kind "pooling" adds globally pooled features to the first convolution."""

    def __init__(self, config, kind):
        super().__init__()
        channels = config.channels
        self.norm1 = Norm(channels)
        self.conv1 = Convolution(channels, channels, 3)
        self.norm2 = Norm(channels)
        self.conv2 = Convolution(channels, channels, 3)
        self.pooling = kind == "pooling"
        if self.pooling:
            self.pool_conv = Convolution(channels, config.pool_channels, 3)
            self.pool_norm = Norm(config.pool_channels)
            self.pool_linear = nn.Linear(3 * config.pool_channels, channels, bias=False)

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


class Tip(nn.Module):
    """The trunk's last norm."""

    def __init__(self, config):
        super().__init__()
        self.norm = Norm(config.channels)


class Policy(nn.Module):
    """The policy head: logits of the points and, if the net has it, of the pass."""

    def __init__(self, config):
        super().__init__()
        width = config.policy_channels
        self.conv = Convolution(config.channels, width, 1)
        self.pool_conv = Convolution(config.channels, width, 1)
        self.pool_norm = Norm(width)
        self.pool_linear = nn.Linear(3 * width, width, bias=False)
        self.norm = Norm(width)
        self.out = Convolution(width, 1, 1)
        self.add_module("pass", nn.Linear(3 * width, 1, bias=False) if config.has_pass else None)

    def forward(self, y, g, mask):
        """From the outputs of `conv` and `pool_conv`."""
        pooled = pool_max(self.pool_norm(g, mask), mask)
        pass_layer = getattr(self, "pass")
        with exact(y):
            added = self.pool_linear(pooled)
            pass_logit = None if pass_layer is None else pass_layer(pooled)
            y = self.norm(y + added.to(y.dtype)[:, :, None, None], mask)
            logits = self.out(y.float()).flatten(1)
        return logits if pass_logit is None else torch.cat([logits, pass_logit], 1)


class Value(nn.Module):
    """The value head: winner and, if the net has them, score lead and ownership."""

    def __init__(self, config):
        super().__init__()
        width = config.value_channels
        self.conv = Convolution(config.channels, width, 1)
        self.norm = Norm(width)
        self.hidden = nn.Linear(3 * width, config.value_hidden)
        self.win = nn.Linear(config.value_hidden, 1)
        self.score = nn.Linear(config.value_hidden, 1) if config.score else None
        self.ownership = Convolution(width, 1, 1) if config.ownership else None

    def forward(self, y, mask):
        """From the output of `conv`."""
        y = self.norm(y, mask)
        with exact(y):
            hidden = F.relu(self.hidden(pool_value(y, mask)))
            value = torch.tanh(self.win(hidden)).squeeze(1)
            score = None if self.score is None else SCORE_SCALE * self.score(hidden).squeeze(1)
            ownership = None if self.ownership is None else torch.tanh(self.ownership(y.float())).squeeze(1)
        return value, score, ownership


class Net(nn.Module):
    """The whole network."""

    # What is compiled, part by part.
    PARTS = ("input", "blocks", "heads")

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.input = Input(config)
        self.blocks = nn.ModuleList(Block(config, kind) for kind in config.blocks)
        self.tip = Tip(config)
        self.policy = Policy(config)
        self.value = Value(config)
        self._initialise()

    def _initialise(self):
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.Linear)):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        # A deep trunk starts near the identity, and the outputs start near "even".
        for block in self.blocks:
            nn.init.kaiming_normal_(block.conv2.weight, nonlinearity="relu")
            block.conv2.weight.data.mul_(max(len(self.blocks), 1) ** -0.5)
        last = [self.policy.out, getattr(self.policy, "pass"), self.value.win, self.value.score, self.value.ownership]
        for module in last:
            if module is not None:
                module.weight.data.mul_(0.1)

    def forward(self, planes, globals_, mask=None):
        """Planes [n, planes, h, w], globals [n, globals], mask [n, 1, h, w] or None where all points are on board.

        Returns policy logits [n, h*w (+ 1)] (off-board ones are not masked), value [n] in -1..1, score lead [n] in
        points or None, ownership [n, h, w] in -1..1 or None.
        """
        x = self.input(planes, globals_)
        for block in self.blocks:
            x = block(x, mask)
        return self.heads(x, mask)

    def heads(self, x, mask):
        """The outputs of `forward`, from the last block's."""
        features = self.tip.norm(x, mask)
        y, g, v = joined(features, self.policy.conv, self.policy.pool_conv, self.value.conv)
        return self.policy(y, g, mask), *self.value(v, mask)


def save_net(path, config, tensors, training):
    """Writes a net file atomically; `training` is a JSON-able note. Raises NetError for tensors which are not finite."""
    stored = {}
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise NetError(f"{path}: tensor {name} is not finite, the net is not written")
        # Vectors hold the norms' statistics, whose range half floats do not cover; they are small anyway.
        half = tensor.dim() >= 2 and tensor.abs().max() < 6.0e4
        stored[name] = tensor.detach().to("cpu", torch.float16 if half else torch.float32).contiguous()
    metadata = {"honinbo": config.to_json(), "training": json.dumps(training)}
    put(path, lambda partial: save_file(stored, partial, metadata))


def load_net(path):
    """Reads a net file: its configuration and a float32 `Net` on the CPU. Raises NetError."""
    try:
        with safe_open(path, framework="pt") as file:
            text = (file.metadata() or {}).get("honinbo")
            tensors = {name: file.get_tensor(name).float() for name in file.keys()}
    except (OSError, SafetensorError) as error:
        raise NetError(f"{path}: not a readable net file ({error})") from error
    if text is None:
        raise NetError(f"{path}: expected the metadata key 'honinbo', found none")
    config = NetConfig.from_json(text, path)
    net = Net(config)
    try:
        net.load_state_dict(tensors)
    except RuntimeError as error:
        raise NetError(f"{path}: {' '.join(str(error).split())}") from error
    return config, net
