"""Selective use of torch.compile for networks.

Compiled and plain networks give the same results, up to rounding.
"""

import copy
import sys

import torch
from torch import nn


def compiled(net):
    """Returns `net` with its `PARTS` compiled, each at its first call. Blocks of the same kind share their code, so a
    teacher of attention layers compiles in two thirds of the time of compiling it as a whole."""
    # Recomputing intermediates is a tenth faster on a CPU than storing them.
    recompute = {"realize_reads_threshold": 24, "realize_opcount_threshold": 200, "realize_acc_reads_threshold": 24}
    known = torch._inductor.list_options()
    options = {k: v for k, v in recompute.items() if k in known}

    def through(part):
        if isinstance(part, nn.ModuleList):
            return nn.ModuleList(map(through, part))
        return torch.compile(part, dynamic=False, options=options)

    # The copy shares all tensors; only the modules of the parts are copied.
    twin = copy.copy(net)
    twin._modules = dict(net._modules)
    for name in net.PARTS:
        setattr(twin, name, through(getattr(net, name)))
    return twin


class Compiling:
    """Selects the batches for compiled nets: for `auto` all of full size, for `first` only full boards of the first
    stream's grid, for `off` none."""

    def __init__(self, choice, headers):
        self.choice = choice
        self._sizes = {header.batch for header in headers}
        self._grid = (headers[0].height, headers[0].width)

    def serves(self, batch):
        """Returns true if a batch should be compiled. A short last batch would need a compilation for its size only."""
        if self.choice == "off" or batch.n not in self._sizes:
            return False
        return self.choice == "auto" or (batch.mask is None and batch.tensors["planes"].shape[2:] == self._grid)


class Runner:
    """A net that runs compiled for the selected batches, and uncompiled after a compilation error."""

    def __init__(self, net, compiling):
        self.net = net
        self._compiling = compiling
        self._compiled = None if compiling.choice == "off" else compiled(net)

    def run(self, batch, work, undo=lambda: None):
        """Returns `work(net)`. `undo()` removes the effects of a failed attempt."""
        if self._compiled is not None and self._compiling.serves(batch):
            try:
                return work(self._compiled)
            except Exception as error:  # the compiler, of either direction, can raise any exception
                print(f"train: torch.compile failed, continuing without it ({first_line(error)})", file=sys.stderr)
                self._compiled = None
                undo()
        return work(self.net)


def first_line(error):
    """Returns an exception's message, shortened to one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
