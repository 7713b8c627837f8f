"""Small nets with random weights, for tests."""

import torch

from learning.honinbo_net import Net
from learning.net_config import NetConfig


def small_config(**changes):
    """Returns the configuration of a minimal net with all parts."""
    sizes = {"planes": 4, "globals": 2, "channels": 6, "blocks": ["ordinary", "pooling"], "pool_channels": 3,
             "policy_channels": 5, "value_channels": 4, "value_hidden": 7, **changes}
    return NetConfig(**sizes)


def random_net(config, seed=3):
    """Returns a net without identity norms."""
    torch.manual_seed(seed)
    net = Net(config)
    for name, tensor in net.state_dict().items():
        if tensor.dim() == 1:
            tensor.uniform_(0.5, 1.5) if name.endswith(("weight", "var")) else tensor.normal_()
    return net
