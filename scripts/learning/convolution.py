"""The network's convolutions: squares which keep the board's size, by PyTorch or by Winograd's method."""

import torch
import torch.nn.functional as F
from torch import nn

from learning import winograd


class Convolution(nn.Conv2d):
    """A convolution without bias. `by_winograd` says whether it is done by Winograd's method where that fits."""

    def __init__(self, inputs, outputs, side):
        super().__init__(inputs, outputs, side, padding=side // 2, bias=False)
        self.by_winograd = False

    def forward(self, x):
        """`x` [n, inputs, h, w]."""
        return joined_whole(x, self)


def joined(x, *layers):
    """The outputs of several convolutions of one kind which read the same input, computed as one: that is faster."""
    return joined_whole(x, *layers).split([len(layer.weight) for layer in layers], 1)


def joined_whole(x, *layers):
    """The outputs of `layers` one after the other, [n, outputs of all, h, w]."""
    weights = [layer.weight for layer in layers]
    weight = weights[0] if len(weights) == 1 else torch.cat(weights)
    outputs, inputs, side, _ = weight.shape
    if layers[0].by_winograd and winograd.fits(inputs, outputs, side):
        return winograd.convolution(x, weight)
    return F.conv2d(x, weight, padding=layers[0].padding)


def use_winograd(net):
    """Has the convolutions of `net` done by Winograd's method, where they fit it. Raises WinogradError."""
    elsewhere = {parameter.device.type for parameter in net.parameters()} - {"cpu"}
    if elsewhere:
        raise winograd.WinogradError(f"Winograd's convolutions are for processors, the net is on {elsewhere.pop()}")
    winograd.load()
    for module in net.modules():
        if isinstance(module, Convolution):
            module.by_winograd = True
