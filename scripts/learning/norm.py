"""Normalisation layers: batch renormalisation with an activation, and RMS normalisation."""

import torch
import torch.nn.functional as F
from torch import nn

NORM_EPS = 1e-5
RMS_EPS = 1e-6
# Step size of the running statistics; small, because each batch contributes new samples.
NORM_MOMENTUM = 0.02
ACTIVATION_FUNCTIONS = {"relu": F.relu, "mish": F.mish, "silu": F.silu}


class BatchRenorm(torch.autograd.Function):
    """Batch renormalisation, optionally relu, and the mask, with an explicit gradient.

    Batch renormalisation (Ioffe, "Batch Renormalization", 2017) normalises with the statistics of the batch and then
    corrects towards the running statistics; the correction is constant for the gradient. Without it, a net trained
    alternately on small and large boards would see other statistics in training than in use.

    When compiled, each direction takes one pass for the sums and one for the result. Autograd's gradient and the
    library's Welford sums are much slower. Moments are computed about the running mean to preserve precision.
    """

    @staticmethod
    def forward(ctx, x, weight, bias, running_mean, running_var, slack, mask, relu):
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
        y = affine(x, scale, bias + weight * shift - mean * scale)
        if relu:
            y = F.relu(y)
        ctx.save_for_backward(x, weight, bias, mean, inverse, stretch, shift, mask)
        ctx.relu = relu
        ctx.mark_non_differentiable(mean, var)
        return (y if mask is None else y * mask).to(x.dtype), mean, var

    @staticmethod
    def backward(ctx, grad, _mean, _var):
        """Textbook gradient: dx = scale * (g - mean(g) - z * mean(g * z)), with g = relu's gradient, z = normalised x."""
        x, weight, bias, mean, inverse, stretch, shift, mask = ctx.saved_tensors
        z = affine(x, inverse, -mean * inverse)
        g = grad.float()
        if ctx.relu:
            active = affine(z, weight * stretch, bias + weight * shift) > 0.0
            g = torch.where(active if mask is None else active & (mask > 0.0), g, 0.0)
        elif mask is not None:
            g = g * mask
        count = x.numel() // x.shape[1] if mask is None else mask.sum()
        grad_bias, along = g.sum((2, 3)).sum(0), (g * z).sum((2, 3)).sum(0)
        common = affine(z, along / count, grad_bias / count)
        if mask is not None:
            common = common * mask
        grad_x = (g - common) * (weight * stretch * inverse).view(1, -1, 1, 1)
        return grad_x.to(x.dtype), stretch * along + shift * grad_bias, grad_bias, None, None, None, None, None


def affine(x, scale, shift):
    """Returns `x` [n, channels, h, w] times `scale` plus `shift` [channels], in float32."""
    return x.float() * scale.view(1, -1, 1, 1) + shift.view(1, -1, 1, 1)


class Norm(nn.Module):
    """Batch norm followed by an activation, over on-board points only; off-board outputs are zero.

    In training, `slack` bounds the correction of the batch's statistics towards the running ones: the factor of the
    standard deviation, and the shift of the mean in standard deviations. (1, 0) is plain batch norm. Evaluation uses
    only the running statistics.
    """

    def __init__(self, channels, activation="relu"):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.register_buffer("slack", torch.tensor([1.0, 0.0]), persistent=False)
        self.relu = activation == "relu"
        self.activation = ACTIVATION_FUNCTIONS[activation]

    def forward(self, x, mask):
        """Normalises `x` [n, channels, h, w]. `mask` is [n, 1, h, w], or None if every point is on board."""
        if not self.training:
            scale = self.weight * torch.rsqrt(self.running_var + NORM_EPS)
            y = self.activation(affine(x, scale, self.bias - self.running_mean * scale))
            return (y if mask is None else y * mask).to(x.dtype)
        running = self.running_mean.clone(), self.running_var.clone()
        y, mean, var = BatchRenorm.apply(x, self.weight, self.bias, *running, self.slack, mask, self.relu)
        with torch.no_grad():
            self.running_mean.lerp_(mean, NORM_MOMENTUM)
            self.running_var.lerp_(var, NORM_MOMENTUM)
        # All activations map zero to zero.
        return y if self.relu else self.activation(y)


class RmsNorm(nn.Module):
    """Divides the channels of each point by their root mean square, and scales each channel."""

    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))

    def forward(self, rows):
        """Normalises `rows` [..., channels]."""
        x = rows.float()
        x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + RMS_EPS)
        return (x * self.weight).to(rows.dtype)
