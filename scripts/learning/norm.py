"""Batch renormalisation, relu and mask in one, the norm of Honinbo's nets.

Promise: outputs off board are zero and never counted; in use the running statistics alone decide.
"""

import torch
import torch.nn.functional as F
from torch import nn

NORM_EPS = 1e-5
# Distance per training step by which the running statistics move; slow, since every step sees a fresh batch.
NORM_MOMENTUM = 0.02


class NormRelu(torch.autograd.Function):
    """Batch norm, relu, mask; the gradient is written out.

    The norm is batch renormalisation (Ioffe, "Batch Renormalization", 2017): the batch's own statistics, then a
    correction towards the running ones which the gradient takes for constants. Without it a net that sees small and
    large boards in turn would learn with other statistics than it is used with.

    Compiled, each direction becomes one pass for the sums and one for the result; what autograd derives, and the
    library's Welford sums, take markedly longer. The moments are taken about the running mean, so that their difference
    keeps its digits.
    """

    @staticmethod
    def forward(ctx, x, weight, bias, running_mean, running_var, slack, mask):
        """Returns the output in the type of `x`, and the mean and variance of each channel in float32."""
        centred = x.float() - running_mean.view(1, -1, 1, 1)
        if mask is None:
            count = x.numel() // x.shape[1]
        else:
            centred, count = centred * mask, mask.sum()
        offset = centred.sum((2, 3)).sum(0) / count
        var = (centred.square().sum((2, 3)).sum(0) / count - offset.square()).clamp(min=0.0)
        mean = running_mean + offset
        inverse = torch.rsqrt(var + NORM_EPS)
        known = torch.rsqrt(running_var + NORM_EPS)
        stretch = torch.minimum(torch.maximum(known / inverse, 1.0 / slack[0]), slack[0])
        shift = torch.minimum(torch.maximum(offset * known, -slack[1]), slack[1])
        scale = weight * stretch * inverse
        y = F.relu(affine(x, scale, bias + weight * shift - mean * scale))
        ctx.save_for_backward(x, weight, bias, mean, inverse, stretch, shift, mask)
        ctx.mark_non_differentiable(mean, var)
        return (y if mask is None else y * mask).to(x.dtype), mean, var

    @staticmethod
    def backward(ctx, grad, _mean, _var):
        """The textbook gradient: dx = scale * (g - mean(g) - z * mean(g * z)), g = relu's gradient, z = normed x."""
        x, weight, bias, mean, inverse, stretch, shift, mask = ctx.saved_tensors
        z = affine(x, inverse, -mean * inverse)
        active = affine(z, weight * stretch, bias + weight * shift) > 0.0
        g = torch.where(active if mask is None else active & (mask > 0.0), grad.float(), 0.0)
        count = x.numel() // x.shape[1] if mask is None else mask.sum()
        grad_bias, along = g.sum((2, 3)).sum(0), (g * z).sum((2, 3)).sum(0)
        common = affine(z, along / count, grad_bias / count)
        if mask is not None:
            common = common * mask
        grad_x = (g - common) * (weight * stretch * inverse).view(1, -1, 1, 1)
        return grad_x.to(x.dtype), stretch * along + shift * grad_bias, grad_bias, None, None, None, None


def affine(x, scale, shift):
    """`x` [n, channels, h, w] times `scale` plus `shift` [channels], in float32."""
    return x.float() * scale.view(1, -1, 1, 1) + shift.view(1, -1, 1, 1)


class Norm(nn.Module):
    """Batch norm followed by relu, over on-board points only; off-board outputs are zero.

    `slack` is how far, in training, the batch's statistics may be corrected towards the running ones: by which factor
    the deviation, by how many deviations the mean. At (1, 0) the batch's own count alone.
    """

    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.register_buffer("slack", torch.tensor([1.0, 0.0]), persistent=False)

    def forward(self, x, mask):
        """`x` [n, channels, h, w]; `mask` [n, 1, h, w] or None where every point is on board."""
        if not self.training:
            scale = self.weight * torch.rsqrt(self.running_var + NORM_EPS)
            y = F.relu(affine(x, scale, self.bias - self.running_mean * scale))
            return (y if mask is None else y * mask).to(x.dtype)
        running = self.running_mean.clone(), self.running_var.clone()
        y, mean, var = NormRelu.apply(x, self.weight, self.bias, *running, self.slack, mask)
        with torch.no_grad():
            self.running_mean.lerp_(mean, NORM_MOMENTUM)
            self.running_var.lerp_(var, NORM_MOMENTUM)
        return y
