"""Features of whole boards, pooled from the points of each channel."""

import torch

# Board side at which the pooled features that encode the board size are zero.
CENTRE_SIDE = 14.0


def board_mean(x, mask):
    """Returns the mean over the on-board points and (sqrt(points) - 14); both float32, [n, channels] and [n, 1] or a
    number."""
    if mask is None:
        return x.float().mean((2, 3)), (x.shape[2] * x.shape[3]) ** 0.5 - CENTRE_SIDE
    area = mask.sum((2, 3))
    return x.float().sum((2, 3)) / area, area.sqrt() - CENTRE_SIDE


class BoardMax(torch.autograd.Function):
    """Maximum over each board, [n, channels]; the gradient goes to the first point that attains it.

    The gradient uses indices. That of `amax` compares values with the maximum; compiled code may round the two
    differently, find no equal value and divide by zero. Comparing indices is fused with the next operation, unlike
    the library's scatter.
    """

    @staticmethod
    def forward(ctx, x):
        """Returns the maxima of `x` [n, channels, h, w]."""
        largest, index = x.flatten(2).max(2)
        ctx.save_for_backward(index)
        ctx.shape, ctx.type = x.shape, x.dtype
        return largest.float()

    @staticmethod
    def backward(ctx, grad):
        """Places the gradient of each maximum at its point."""
        (index,) = ctx.saved_tensors
        _, _, height, width = ctx.shape
        points = torch.arange(height * width, device=index.device).view(1, 1, height, width)
        chosen = points == index[:, :, None, None]
        return torch.where(chosen, grad[:, :, None, None], 0.0).to(ctx.type)


def pool_max(x, mask):
    """Returns [mean, mean * (s - 14) / 10, max] of activations that are zero off board: [n, 3 * channels]."""
    mean, side = board_mean(x, mask)
    # Activations other than relu may be negative, below the zeros off board.
    on_board = x if mask is None else torch.where(mask > 0.0, x, float("-inf"))
    return torch.cat([mean, mean * side / 10.0, BoardMax.apply(on_board)], 1)


def pool_value(x, mask):
    """Returns [mean, mean * (s - 14) / 10, mean * ((s - 14)^2 / 100 - 0.1)]: [n, 3 * channels]."""
    mean, side = board_mean(x, mask)
    return torch.cat([mean, mean * side / 10.0, mean * (side * side / 100.0 - 0.1)], 1)
