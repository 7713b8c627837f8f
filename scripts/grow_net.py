#!/usr/bin/env python3
"""Writes a net with more blocks that answers as the one it was made of, for training to go on with.

Promise: `grow_net.py NET --blocks N --out FILE` puts new blocks between the last one and the trunk's tip. Their second
convolutions are zero, so that they add nothing before training makes them (Chen, Goodfellow and Shlens, "Net2Net", 2016).
"""

import argparse
import sys
from dataclasses import replace

import torch

from learning.architecture import MAX_BLOCKS
from learning.honinbo_net import Net
from learning.net_config import NetError
from learning.net_file import load_net, save_net
from learning.sizes import block_kinds


def grown(path, blocks, pooling_every, name=""):
    """Configuration and tensors of the larger net; NetError where it would not be larger."""
    config, net = load_net(path)
    least = len(config.blocks) + 1
    if not least <= blocks <= MAX_BLOCKS:
        raise NetError(f"--blocks: expected {least} to {MAX_BLOCKS}, since {path} has {least - 1}, found {blocks}")
    kinds = config.blocks + block_kinds(blocks, pooling_every)[least - 1:]
    larger = replace(config, blocks=kinds, name=name or f"b{blocks}c{config.channels}")
    new = Net(larger)
    new.load_state_dict(net.state_dict(), strict=False)
    with torch.no_grad():
        for block in new.blocks[least - 1:]:
            block.conv2.weight.zero_()
            # What enters is what entered the tip.
            block.norm1.running_mean.copy_(net.tip.norm.running_mean)
            block.norm1.running_var.copy_(net.tip.norm.running_var)
    return larger, new.state_dict()


def main(given=None):
    """Runs the command; errors of the user's making are one line and status 1."""
    parser = argparse.ArgumentParser(description="Write a net with more blocks that answers as the one given.")
    parser.add_argument("net", metavar="NET")
    parser.add_argument("--blocks", type=int, required=True, metavar="N", help="of the larger net")
    parser.add_argument("--pooling-every", type=int, default=3, metavar="N",
                        help="2nd, 5th, ... block pools (3); 0: none of the new ones [default: 3]")
    parser.add_argument("--seed", type=int, default=0, help="of the new blocks' first convolutions [default: 0]")
    parser.add_argument("--out", required=True, metavar="FILE")
    parser.add_argument("--name", default="", help="in the net file [default: by its sizes]")
    options = parser.parse_args(given)
    if options.pooling_every < 0 or not 0 <= options.seed < 1 << 63:
        parser.error("--pooling-every and --seed must not be negative, nor the seed above 63 bits")
    torch.manual_seed(options.seed)
    try:
        config, tensors = grown(options.net, options.blocks, options.pooling_every, options.name)
        save_net(options.out, config, tensors, {"grown": options.net})
    except (NetError, OSError) as error:
        print(f"grow_net: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
