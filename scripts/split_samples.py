#!/usr/bin/env python3
"""Splits samples by how far a net is from them, so that training can see more often what it does not know yet.

Promise: `split_samples.py NET SAMPLES... --out FOLDER` writes `hard.bin`, the share of all samples with the largest loss
by NET, and `easy.bin`, the others, each in an order drawn anew; together they hold every sample once. The loss is the
trainer's, less what the policy's target leaves open and no net can lower. All samples are held in memory.
"""

import argparse
import os
import sys

import torch

from files import put
from learning.net_config import NetError
from learning.net_file import load_net
from learning.losses import LossWeights, sample_losses
from learning.samples import Batch, SampleError, SampleStream, write_batch


def scored(path, sources, weights):
    """The header, the samples of all sources as one batch, and each one's loss by the net of a file."""
    config, net = load_net(path)
    net.eval()
    header, batches, losses = None, [], []
    for source in sources:
        stream = SampleStream(source)
        header = header or stream.header
        if stream.header != header:
            stream.close()
            raise SampleError(f"{source}: expected samples like those of {sources[0]}, found another header")
        for batch in stream:
            planes = batch.tensors["planes"].float().contiguous(memory_format=torch.channels_last)
            with torch.no_grad():
                outputs = net(planes, batch.tensors["globals"], batch.mask)
            batches.append(batch)
            losses.append(sample_losses(config, outputs, batch, weights))
    losses = torch.cat(losses)
    return header, Batch.join(batches, len(losses)), losses


def write(path, header, batch):
    """Writes the samples in frames of the header's size."""
    def frames(partial):
        with open(partial, "wb") as file:
            file.write(header.line())
            for start in range(0, batch.n, header.batch):
                write_batch(file, header, batch.part(slice(start, start + header.batch)))
    put(path, frames)


def split(options):
    """Writes both files and tells how much of the loss is in the first."""
    header, batch, losses = scored(options.net, options.samples, LossWeights.of(options))
    order = losses.argsort(descending=True)
    count = round(options.share * batch.n)
    if not 0 < count < batch.n:
        raise SampleError(f"--share: expected one that leaves samples on both sides, found {options.share} of {batch.n}")
    os.makedirs(options.out, exist_ok=True)
    for name, chosen in (("hard", order[:count]), ("easy", order[count:])):
        shuffled = chosen[torch.randperm(len(chosen))]
        write(os.path.join(options.out, f"{name}.bin"), header, batch.part(shuffled))
        share = float(losses[chosen].sum() / losses.sum())
        print(f"{name} {len(chosen)} samples, {100 * share:.0f} % of the loss", flush=True)


def main(given=None):
    """Runs the command; errors of the user's making are one line and status 1."""
    parser = argparse.ArgumentParser(description="Split samples by how far a net is from them.")
    parser.add_argument("net", metavar="NET")
    parser.add_argument("samples", nargs="+", metavar="SAMPLES", help="file or command")
    parser.add_argument("--out", required=True, metavar="FOLDER")
    parser.add_argument("--share", type=float, default=1 / 3, help="of the samples that is hard [default: a third]")
    LossWeights.add_options(parser)
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    options = parser.parse_args(given)
    torch.manual_seed(options.seed)
    try:
        split(options)
    except (NetError, SampleError, OSError) as error:
        print(f"split_samples: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
