"""What the trainer asks of the machine it runs on: the precision that is fastest there, and memory that stays.

Promise: nothing here changes what is learnt beyond rounding; on machines that lack what is asked for, nothing happens.
"""

import ctypes
import time

import torch

TRUNKS = {"bf16": torch.bfloat16, "f32": torch.float32}
# A convolution is tried so often, the first time to warm up; bf16 must take less than this share of the time of f32.
TRIES, CLEARLY, TRIED_CHANNELS = 6, 0.85, 64
# Of glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
NEVER_TRIM = 2**31 - 1


def trunk_type(name, device):
    """The type of the trunk's numbers on a device; `auto` is bf16 on GPUs, and on processors where it is faster."""
    if name == "auto":
        name = "bf16" if device.type == "cuda" or _gains_by_bf16() else "f32"
    return TRUNKS[name]


def _gains_by_bf16():
    """Whether this processor convolves clearly faster in bf16. What it can do does not tell: of two kinds with the same
    instructions one takes half the time in bf16 (Zen 4), the other twice as long (Sapphire Rapids, its tiles hidden)."""
    bf16, f32 = (min(_convolution_seconds(trunk) for _ in range(TRIES)) for trunk in (torch.bfloat16, torch.float32))
    return bf16 < CLEARLY * f32


def _convolution_seconds(trunk):
    """What one convolution of the size of a net's takes, forwards and backwards."""
    convolution = torch.nn.Conv2d(TRIED_CHANNELS, TRIED_CHANNELS, 3, padding=1, bias=False, dtype=trunk)
    convolution = convolution.to(memory_format=torch.channels_last)
    boards = torch.ones(32, TRIED_CHANNELS, 9, 9, dtype=trunk).to(memory_format=torch.channels_last).requires_grad_()
    start = time.perf_counter()
    convolution(boards).sum().backward()
    return time.perf_counter() - start


def keep_memory():
    """Has the C library keep freed memory for the next step: a third of a step's time on a CPU goes into fresh pages."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return
    mallopt(M_MMAP_MAX, 0)
    mallopt(M_TRIM_THRESHOLD, NEVER_TRIM)
