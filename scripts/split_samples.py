#!/usr/bin/env python3
"""Splits samples by a net's loss on them, so that training can repeat the difficult ones more often.

`split_samples.py NET SAMPLES... --out FOLDER` writes `hard.bin`, the given fraction of all samples with the largest
loss of NET, and `easy.bin`, the others, each in random order. Every sample is in exactly one file. The loss is the
trainer's, minus the entropy of the policy target, which no net can undercut. All samples are held in memory.
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
    """Returns the header, the samples of all sources as one batch, and the loss of each sample."""
    config, net = load_net(path)
    net.eval()
    header, batches, losses = None, [], []
    for source in sources:
        stream = SampleStream(source)
        header = header or stream.header
        if stream.header != header:
            stream.close()
            raise SampleError(f"{source}: the header differs from that of {sources[0]}")
        for batch in stream:
            planes = batch.tensors["planes"].float().contiguous(memory_format=torch.channels_last)
            with torch.no_grad():
                outputs = net(planes, batch.tensors["globals"], batch.mask)
            batches.append(batch)
            losses.append(sample_losses(config, outputs, batch, weights))
    losses = torch.cat(losses)
    return header, Batch.join(batches, len(losses)), losses


def write(path, header, batch):
    """Writes the samples in frames of the header's batch size."""
    def frames(partial):
        with open(partial, "wb") as file:
            file.write(header.line())
            for start in range(0, batch.n, header.batch):
                write_batch(file, header, batch.part(slice(start, start + header.batch)))
    put(path, frames)


def split(options):
    """Writes both files and reports how the loss is divided between them."""
    header, batch, losses = scored(options.net, options.samples, LossWeights.of(options))
    order = losses.argsort(descending=True)
    count = round(options.share * batch.n)
    if not 0 < count < batch.n:
        raise SampleError(f"--share {options.share} of {batch.n} samples leaves one file empty")
    os.makedirs(options.out, exist_ok=True)
    for name, chosen in (("hard", order[:count]), ("easy", order[count:])):
        shuffled = chosen[torch.randperm(len(chosen))]
        write(os.path.join(options.out, f"{name}.bin"), header, batch.part(shuffled))
        share = float(losses[chosen].sum() / losses.sum())
        print(f"{name} {len(chosen)} samples, {100 * share:.0f} % of the loss", flush=True)


def main(given=None):
    """Runs the command; reports errors as one line, with status 1."""
    parser = argparse.ArgumentParser(description="Split samples by a net's loss on them.")
    parser.add_argument("net", metavar="NET")
    parser.add_argument("samples", nargs="+", metavar="SAMPLES", help="file or command")
    parser.add_argument("--out", required=True, metavar="FOLDER")
    parser.add_argument("--share", type=float, default=1 / 3, help="fraction of hard samples [default: a third]")
    LossWeights.add_options(parser)
    parser.add_argument("--seed", type=int, default=1, help="seed of the random order [default: 1]")
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
