#!/usr/bin/env python3
"""Adds blocks to a net without changing its outputs, as a start for further training.

`grow_net.py NET --blocks N --out FILE` inserts new blocks between the last block and the trunk's tip. Their second
convolutions are zero, so that they have no effect until they are trained (Chen, Goodfellow and Shlens, "Net2Net",
2016).
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
    """Returns configuration and tensors of the larger net. Raises NetError if it would not be larger."""
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
            # Input of the new blocks is the former input of the tip.
            block.norm1.running_mean.copy_(net.tip.norm.running_mean)
            block.norm1.running_var.copy_(net.tip.norm.running_var)
    return larger, new.state_dict()


def main(given=None):
    """Runs the command; reports errors as one line, with status 1."""
    parser = argparse.ArgumentParser(description="Add blocks to a net without changing its outputs.")
    parser.add_argument("net", metavar="NET")
    parser.add_argument("--blocks", type=int, required=True, metavar="N", help="number of blocks of the larger net")
    parser.add_argument("--pooling-every", type=int, default=3, metavar="N",
                        help="every N-th block pools globally (with 3: the 2nd, 5th, ...); 0: no new one [default: 3]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the new blocks' first convolutions [default: 0]")
    parser.add_argument("--out", required=True, metavar="FILE")
    parser.add_argument("--name", default="", help="name in the net file [default: derived from the sizes]")
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
