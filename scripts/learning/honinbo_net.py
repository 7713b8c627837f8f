"""The network of Honinbo in PyTorch.

Boards smaller than the tensor occupy its top-left corner; off-board points never influence on-board outputs. Values are
from the perspective of the player to move. Module names and tensor shapes of residual nets match version 1 of
the net file (learning/net_file.py).
"""

import torch
import torch.nn.functional as F
from torch import nn

from learning.blocks import Attention, FeedForward, exact, initialise_branches, make_blocks
from learning.convolution import Convolution, joined
from learning.norm import ACTIVATION_FUNCTIONS, Norm
from learning.pooling import pool_max, pool_value

# Unit of the score output in points.
SCORE_SCALE = 20.0
# Auxiliary outputs, which are trained but not stored in net files, and their units: points, value (-1 to 1), points.
AUXILIARY_UNITS = {"score_deviation": 20.0, "value_error": 0.25, "score_error": 10.0}


class Input(nn.Module):
    """Maps planes and globals to trunk channels."""

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


class Tip(nn.Module):
    """Last norm of the trunk."""

    def __init__(self, config):
        super().__init__()
        self.norm = Norm(config.channels, config.activation)


class Policy(nn.Module):
    """Policy head: logits of the points and, if the net has it, of a pass."""

    def __init__(self, config):
        super().__init__()
        width = config.policy_channels
        self.conv = Convolution(config.channels, width, 1)
        self.pool_conv = Convolution(config.channels, width, 1)
        self.pool_norm = Norm(width, config.activation)
        self.pool_linear = nn.Linear(3 * width, width, bias=False)
        self.norm = Norm(width, config.activation)
        self.out = Convolution(width, 1, 1)
        self.add_module("pass", nn.Linear(3 * width, 1, bias=False) if config.has_pass else None)

    def forward(self, y, g, mask):
        """Takes the outputs of `conv` and `pool_conv`."""
        pooled = pool_max(self.pool_norm(g, mask), mask)
        pass_layer = getattr(self, "pass")
        with exact(y):
            added = self.pool_linear(pooled)
            pass_logit = None if pass_layer is None else pass_layer(pooled)
            y = self.norm(y + added.to(y.dtype)[:, :, None, None], mask)
            logits = self.out(y.float()).flatten(1)
        return logits if pass_logit is None else torch.cat([logits, pass_logit], 1)


class Value(nn.Module):
    """Value head: result and, if the net has them, score lead, ownership and auxiliary outputs."""

    def __init__(self, config):
        super().__init__()
        width = config.value_channels
        self.activation = ACTIVATION_FUNCTIONS[config.activation]
        self.conv = Convolution(config.channels, width, 1)
        self.norm = Norm(width, config.activation)
        self.hidden = nn.Linear(3 * width, config.value_hidden)
        self.win = nn.Linear(config.value_hidden, 1)
        self.score = nn.Linear(config.value_hidden, 1) if config.score else None
        self.ownership = Convolution(width, 1, 1) if config.ownership else None
        self.auxiliary = nn.Linear(config.value_hidden, len(AUXILIARY_UNITS)) if config.auxiliary else None
        self.register_buffer("units", torch.tensor(list(AUXILIARY_UNITS.values())), persistent=False)

    def forward(self, y, mask):
        """Takes the output of `conv`. Returns result, score, ownership and, if there are any, auxiliary outputs."""
        y = self.norm(y, mask)
        with exact(y):
            hidden = self.activation(self.hidden(pool_value(y, mask)))
            value = torch.tanh(self.win(hidden)).squeeze(1)
            score = None if self.score is None else SCORE_SCALE * self.score(hidden).squeeze(1)
            ownership = None if self.ownership is None else torch.tanh(self.ownership(y.float())).squeeze(1)
            if self.auxiliary is None:
                return value, score, ownership
            return value, score, ownership, self.units * F.softplus(self.auxiliary(hidden))


class Net(nn.Module):
    """The whole network."""

    # Parts that are compiled one by one.
    PARTS = ("input", "blocks", "heads")

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.input = Input(config)
        self.blocks = make_blocks(config.parsed_blocks(), config.channels, config)
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
        for module in self.modules():
            if isinstance(module, (Attention, FeedForward)):
                module.initialise()
        initialise_branches(self.blocks)
        # The outputs start near "even".
        last = [self.policy.out, getattr(self.policy, "pass"), self.value.win, self.value.score, self.value.ownership]
        for module in last:
            if module is not None:
                module.weight.data.mul_(0.1)

    def forward(self, planes, globals_, mask=None):
        """Takes planes [n, planes, h, w], globals [n, globals], and mask [n, 1, h, w] or None if all points are on
        board.

        Returns policy logits [n, h*w (+ 1)] (off-board ones are not masked), value [n] in -1..1, score lead [n] in
        points or None, and ownership [n, h, w] in -1..1 or None. Nets with auxiliary outputs return these as a fifth
        tensor [n, 3] in the order of AUXILIARY_UNITS.
        """
        x = self.input(planes, globals_)
        for block in self.blocks:
            x = block(x, mask)
        return self.heads(x, mask)

    def heads(self, x, mask):
        """Returns the outputs of `forward` from the output of the last block."""
        features = self.tip.norm(x, mask)
        y, g, v = joined(features, self.policy.conv, self.policy.pool_conv, self.value.conv)
        return self.policy(y, g, mask), *self.value(v, mask)
