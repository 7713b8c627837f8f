"""Nets through torch.compile where that is worth the time that it takes.

Promise: compiled or not, what a net says differs by rounding alone.
"""

import copy
import sys

import torch
from torch import nn


def compiled(net):
    """`net` with its `PARTS` through torch.compile, each compiled at its first call. Blocks of one kind share their code: a
    teacher of attention layers compiles in two thirds of the time that it takes as a whole."""
    # Computing an intermediate again beats storing it: a tenth faster on a CPU.
    recompute = {"realize_reads_threshold": 24, "realize_opcount_threshold": 200, "realize_acc_reads_threshold": 24}
    known = torch._inductor.list_options()
    options = {k: v for k, v in recompute.items() if k in known}

    def through(part):
        if isinstance(part, nn.ModuleList):
            return nn.ModuleList(map(through, part))
        return torch.compile(part, dynamic=False, options=options)

    # The twin has the same tensors; modules of its own only in the place of the parts.
    twin = copy.copy(net)
    twin._modules = dict(net._modules)
    for name in net.PARTS:
        setattr(twin, name, through(getattr(net, name)))
    return twin


class Compiling:
    """Which batches are worth it: for `auto` those of whole size, for `first` those of them that are full boards of the first
    stream's grid, for `off` none."""

    def __init__(self, choice, headers):
        self.choice = choice
        self._sizes = {header.batch for header in headers}
        self._grid = (headers[0].height, headers[0].width)

    def serves(self, batch):
        """Whether a batch is to go through compiled nets. A short last one would have to be compiled for its size alone."""
        if self.choice == "off" or batch.n not in self._sizes:
            return False
        return self.choice == "auto" or (batch.mask is None and batch.tensors["planes"].shape[2:] == self._grid)


class Runner:
    """A net, compiled for the batches that are worth it until that fails."""

    def __init__(self, net, compiling):
        self.net = net
        self._compiling = compiling
        self._compiled = None if compiling.choice == "off" else compiled(net)

    def run(self, batch, work, undo=lambda: None):
        """What `work(net)` gives; `undo()` clears away what a failed attempt has left."""
        if self._compiled is not None and self._compiling.serves(batch):
            try:
                return work(self._compiled)
            except Exception as error:  # the compiler, of either direction, raises whatever its parts raise
                print(f"train: torch.compile failed, going on without it ({first_line(error)})", file=sys.stderr)
                self._compiled = None
                undo()
        return work(self.net)


def first_line(error):
    """An exception's message, shortened to one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
