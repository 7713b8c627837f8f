"""The network's size-preserving square convolutions, by PyTorch or by Winograd's method."""

import torch
import torch.nn.functional as F
from torch import nn

from learning import winograd


class Convolution(nn.Conv2d):
    """A convolution without bias. `by_winograd` selects Winograd's method where it is supported."""

    def __init__(self, inputs, outputs, side):
        super().__init__(inputs, outputs, side, padding=side // 2, bias=False)
        self.by_winograd = False

    def forward(self, x):
        """Convolves `x` [n, inputs, h, w]."""
        return joined_whole(x, self)


def joined(x, *layers):
    """Convolves one input with several layers of the same kind in a single, faster call."""
    return joined_whole(x, *layers).split([len(layer.weight) for layer in layers], 1)


def joined_whole(x, *layers):
    """Returns the concatenated outputs of `layers`, [n, total outputs, h, w]."""
    weights = [layer.weight for layer in layers]
    weight = weights[0] if len(weights) == 1 else torch.cat(weights)
    outputs, inputs, side, _ = weight.shape
    if layers[0].by_winograd and winograd.fits(inputs, outputs, side):
        return winograd.convolution(x, weight)
    return F.conv2d(x, weight, padding=layers[0].padding)


def use_winograd(net):
    """Selects Winograd's method for the convolutions of `net` that support it. Raises WinogradError."""
    elsewhere = {parameter.device.type for parameter in net.parameters()} - {"cpu"}
    if elsewhere:
        raise winograd.WinogradError(f"Winograd convolutions run only on the CPU, but the net is on {elsewhere.pop()}")
    winograd.load()
    for module in net.modules():
        if isinstance(module, Convolution):
            module.by_winograd = True
