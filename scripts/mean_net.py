#!/usr/bin/env python3
"""Writes the mean of two nets, of which one went on from the other.

Promise: `mean_net.py OLDER NEWER --share S --out FILE` writes the net whose numbers are S of the newer one's and the rest
of the older one's. Nets of one training lie in one valley, where the mean of two is often better than either (Wortsman
et al., "Model soups", 2022).
"""

import argparse
import sys

from learning.net_config import NetError
from learning.net_file import load_net, save_net


def mean(older, newer, share):
    """Configuration and tensors of the mean; NetError where the nets differ in more than their numbers."""
    (config, first), (other, second) = load_net(older), load_net(newer)
    if config != other:
        raise NetError(f"expected nets of one configuration, {older} and {newer} have two")
    first, second = first.state_dict(), second.state_dict()
    return config, {name: (1.0 - share) * first[name] + share * second[name] for name in first}


def main(given=None):
    """Runs the command; errors of the user's making are one line and status 1."""
    parser = argparse.ArgumentParser(description="Write the mean of two nets.")
    parser.add_argument("older", metavar="OLDER")
    parser.add_argument("newer", metavar="NEWER")
    parser.add_argument("--share", type=float, default=0.5, help="of the newer net, 0 to 1 [default: 0.5]")
    parser.add_argument("--out", required=True, metavar="FILE")
    options = parser.parse_args(given)
    if not 0.0 <= options.share <= 1.0:
        parser.error(f"--share must be 0 to 1, found {options.share}")
    try:
        config, tensors = mean(options.older, options.newer, options.share)
        save_net(options.out, config, tensors, {"mean": [options.older, options.newer], "share": options.share})
    except (NetError, OSError) as error:
        print(f"mean_net: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
