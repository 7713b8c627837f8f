#!/usr/bin/env python3
"""Averages two nets, one of which was trained further from the other.

`mean_net.py OLDER NEWER --share S --out FILE` writes the net with weights S * newer + (1 - S) * older. Nets of one
training run lie in the same loss valley, where the mean is often better than either (Wortsman et al., "Model soups",
2022).
"""

import argparse
import sys

from learning.net_config import NetError
from learning.net_file import load_net, save_net


def mean(older, newer, share):
    """Returns configuration and tensors of the mean. Raises NetError if the nets have different structures."""
    (config, first), (other, second) = load_net(older), load_net(newer)
    if config != other:
        raise NetError(f"{older} and {newer} have different configurations")
    first, second = first.state_dict(), second.state_dict()
    return config, {name: (1.0 - share) * first[name] + share * second[name] for name in first}


def main(given=None):
    """Runs the command; reports errors as one line, with status 1."""
    parser = argparse.ArgumentParser(description="Write the mean of two nets.")
    parser.add_argument("older", metavar="OLDER")
    parser.add_argument("newer", metavar="NEWER")
    parser.add_argument("--share", type=float, default=0.5, help="weight of the newer net, 0 to 1 [default: 0.5]")
    parser.add_argument("--out", required=True, metavar="FILE")
    options = parser.parse_args(given)
    if not 0.0 <= options.share <= 1.0:
        parser.error(f"--share must be from 0 to 1, not {options.share}")
    try:
        config, tensors = mean(options.older, options.newer, options.share)
        save_net(options.out, config, tensors, {"mean": [options.older, options.newer], "share": options.share})
    except (NetError, OSError) as error:
        print(f"mean_net: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
