"""The symmetries of the board, for samples that a run reads more than once.

Promise: `turned(batch, generator)` is the batch with every sample seen through a symmetry of its own, drawn at random:
the eight of a square board, the four that keep the sides of another. Planes, policy, owners and mask move together; a
pass stays a pass.
"""

import torch

from learning.samples import Batch

# How many of the symmetries, the first, keep the sides of a board.
KEEP_SIDES = 4


def images(height, width):
    """For each symmetry, which point of the old grid comes to each point: int64 [symmetries, height * width]."""
    grid = torch.arange(height * width).reshape(height, width)
    sides = [grid, grid.T] if height == width else [grid]
    return torch.stack([side.flip(axes).flatten() for side in sides for axes in ((), (0,), (1,), (0, 1))])


def turned(batch, generator):
    """`batch`, each sample through a symmetry drawn from `generator`."""
    height, width = batch.tensors["planes"].shape[2:]
    tables = images(height, width)
    choices = torch.randint(len(tables), (batch.n,), generator=generator)
    if batch.mask is not None and len(tables) > KEEP_SIDES:
        rows, columns = ((batch.mask[:, 0] > 0).any(axis).sum(1) for axis in (2, 1))
        choices = torch.where(rows == columns, choices, choices % KEEP_SIDES)
    places = tables[choices]

    def moved(tensor):
        points = tensor.reshape(batch.n, -1, height * width)
        return points.gather(2, places[:, None].expand_as(points)).reshape(tensor.shape)

    policy = batch.tensors["policy"]
    tensors = {**batch.tensors, "planes": moved(batch.tensors["planes"]), "ownership": moved(batch.tensors["ownership"]),
               "policy": torch.cat([moved(policy[:, :-1]), policy[:, -1:]], 1)}
    return Batch(batch.n, tensors, None if batch.mask is None else moved(batch.mask))
