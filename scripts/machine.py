"""What the trainer asks of the machine it runs on: the precision that is fastest there, and memory that stays.

Promise: nothing here changes what is learnt beyond rounding; on machines that lack what is asked for, nothing happens.
"""

import ctypes

import torch

TRUNKS = {"bf16": torch.bfloat16, "f32": torch.float32}
# Of glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
NEVER_TRIM = 2**31 - 1


def trunk_type(name, device):
    """The type of the trunk's numbers on a device; `auto` is bf16 on GPUs and on processors with matrix tiles."""
    if name == "auto":
        # Without tiles bfloat16 multiplies at half the speed of float32 (convolutions on Sapphire Rapids, tiles hidden:
        # 180 and 330 GFLOP/s). Older versions of torch do not know of tiles.
        tiles = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
        name = "bf16" if device.type == "cuda" or tiles() else "f32"
    return TRUNKS[name]


def keep_memory():
    """Has the C library keep freed memory for the next step: a third of a step's time on a CPU goes into fresh pages."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return
    mallopt(M_MMAP_MAX, 0)
    mallopt(M_TRIM_THRESHOLD, NEVER_TRIM)
