#!/usr/bin/env python3
"""Writes the golden nets of tests/network/net.rs: small nets with random weights, inputs, and PyTorch's outputs.

Run from the repository root after a change of the net file or the formulas: python3 scripts/golden_net.py [NET ...]
The board of 5 rows and 7 columns is evaluated in a 9x9 tensor with a mask, as in training, so that the tests also compare
masked boards with exact ones.
"""

import json
import sys

import torch

from learning.honinbo_net import Net
from learning.net_config import NetConfig
from learning.net_file import load_net, save_net

FOLDER = "tests/data/net"
FRAME = 9
LAST = [f"{layer}.weight" for layer in ("policy.out", "policy.pass", "value.win", "value.score", "value.ownership")]
# Factor of the matrices of a net; below 1, the activations of deeper nets stay small enough for exact comparisons.
GAINS = {"nested": 0.85}
NETS = {
    "tiny": NetConfig(planes=5, globals=3, channels=8, blocks=["ordinary", "pooling"], pool_channels=4,
                      policy_channels=6, value_channels=5, value_hidden=7),
    "classic": NetConfig(planes=23, globals=0, channels=10, blocks=["ordinary", "ordinary"], pool_channels=10,
                         policy_channels=10, value_channels=10, value_hidden=32, has_pass=False, score=False,
                         ownership=False, name="classic"),
    "nested": NetConfig(planes=5, globals=3, channels=12, pool_channels=4, policy_channels=6, value_channels=5,
                        value_hidden=7, activation="mish",
                        blocks=["nested16(ordinary,attention4/2,ffn12,pooling)", "pooling", "attention3@100", "ffn20"]),
}


def randomise(net, gain=1.0):
    """Gives every weight and statistic a value that affects the outputs."""
    for name, tensor in net.state_dict().items():
        noise = torch.randn(tensor.shape)
        if tensor.dim() > 1:
            # The last layers are small, so that tanh does not saturate.
            tensor.copy_(noise * (2.0 / tensor[0].numel()) ** 0.5 * gain * (0.1 if name in LAST else 1.0))
        elif name.endswith("running_var") or name.endswith("weight"):
            tensor.copy_(0.5 + noise.abs())
        else:
            tensor.copy_(0.3 * noise)


def case(net, count, height, width):
    """Returns random positions on boards of equal size and the outputs of `net`."""
    planes = torch.zeros(count, net.config.planes, FRAME, FRAME)
    planes[:, :, :height, :width] = torch.randint(-1, 2, (count, net.config.planes, height, width)).float()
    globals_ = torch.randint(-8, 9, (count, net.config.globals)) / 8
    mask = torch.zeros(count, 1, FRAME, FRAME)
    mask[:, :, :height, :width] = 1
    with torch.no_grad():
        policy, value, score, ownership = net(planes, globals_, mask)
    points = policy[:, :FRAME * FRAME].view(count, FRAME, FRAME)
    cut = {"planes": planes.int(), "policy": points, "ownership": ownership}
    cut = {name: None if x is None else x[..., :height, :width] for name, x in cut.items()}
    whole = {"globals": globals_, "pass": policy[:, -1] if net.config.has_pass else None, "value": value, "score": score}
    flat = {name: None if x is None else [round(v, 7) for v in x.flatten().tolist()] for name, x in (cut | whole).items()}
    return {"count": count, "height": height, "width": width, **flat}


def write(name, config):
    """Writes the net file and the cases of a net."""
    torch.manual_seed(1846)
    net = Net(config)
    randomise(net, GAINS.get(name, 1.0))
    path = f"{FOLDER}/{name}.safetensors"
    save_net(path, config, net.state_dict(), {"purpose": "golden test"})
    # Reading the file includes its rounding to half floats in the outputs.
    _, net = load_net(path)
    net.eval()
    cases = [case(net, 2, 9, 9), case(net, 1, 5, 7)]
    with open(f"{FOLDER}/{name}.json", "w", encoding="utf-8") as file:
        file.write(json.dumps(cases, separators=(",", ":")) + "\n")


def main():
    """Writes the nets named on the command line, or all."""
    for name in sys.argv[1:] or NETS:
        write(name, NETS[name])


if __name__ == "__main__":
    main()
