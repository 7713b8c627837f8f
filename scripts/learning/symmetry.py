"""Random board symmetries, for samples that a run reads more than once.

`randomly_transformed(batch, generator)` transforms each sample by a random symmetry: one of eight on square boards,
one of the four that preserve width and height on others. Planes, policy, ownership and mask are transformed together;
passes are unchanged.
"""

import torch

from learning.samples import Batch

# Number of symmetries that preserve width and height; they come first.
KEEP_SIDES = 4


def source_points(height, width):
    """Returns the source point of each point for each symmetry: int64 [symmetries, height * width]."""
    grid = torch.arange(height * width).reshape(height, width)
    sides = [grid, grid.T] if height == width else [grid]
    return torch.stack([side.flip(axes).flatten() for side in sides for axes in ((), (0,), (1,), (0, 1))])


def randomly_transformed(batch, generator):
    """Returns `batch` with each sample transformed by a symmetry drawn from `generator`."""
    height, width = batch.tensors["planes"].shape[2:]
    tables = source_points(height, width)
    choices = torch.randint(len(tables), (batch.n,), generator=generator)
    if batch.mask is not None and len(tables) > KEEP_SIDES:
        rows, columns = ((batch.mask[:, 0] > 0).any(axis).sum(1) for axis in (2, 1))
        choices = torch.where(rows == columns, choices, choices % KEEP_SIDES)
    places = tables[choices]

    def transformed(tensor):
        points = tensor.reshape(batch.n, -1, height * width)
        return points.gather(2, places[:, None].expand_as(points)).reshape(tensor.shape)

    policy = batch.tensors["policy"]
    tensors = {**batch.tensors, "planes": transformed(batch.tensors["planes"]),
               "ownership": transformed(batch.tensors["ownership"]),
               "policy": torch.cat([transformed(policy[:, :-1]), policy[:, -1:]], 1)}
    return Batch(batch.n, tensors, None if batch.mask is None else transformed(batch.mask))
