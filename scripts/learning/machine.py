"""Adapts the trainer to its machine: fastest precision, memory reuse, and batches copied to the device in advance.

Results change by rounding only. On machines without the requested features, the functions have no effect.
"""

import ctypes
import queue
import threading
import time

import torch

from learning.convolution import Convolution, use_winograd
from learning.winograd import WinogradError, load

# Type of the trunk's tensors; `winograd` is f32 with Winograd convolutions.
TRUNKS = {"bf16": torch.bfloat16, "f32": torch.float32, "winograd": torch.float32}
# Number of timed convolutions, of which the first is a warm-up, and the maximum time of another kind relative to f32.
TRIES, CLEARLY, TRIED_CHANNELS = 6, 0.85, 64
# Number of batches that wait on the device.
AHEAD = 2
# Constants of glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
NEVER_TRIM = 2**31 - 1


def choose_trunk(name, device):
    """Returns the kind of trunk for a device: `name`, or for `auto` bf16 on GPUs and the fastest kind on CPUs."""
    if name != "auto":
        return name
    return "bf16" if device.type == "cuda" else _fastest()


def _fastest():
    """Returns the fastest kind of convolution on this CPU: f32 unless another is clearly faster. It has to be measured:
    of two CPUs with the same instructions, one takes half the time in bf16 (Zen 4), the other twice as long (Sapphire
    Rapids without access to its tiles)."""
    kinds = ["f32", "bf16"]
    try:
        load()
        kinds.append("winograd")
    except WinogradError:
        pass
    seconds = {kind: min(_convolution_seconds(kind) for _ in range(TRIES)) for kind in kinds}
    best = min(kinds, key=seconds.get)
    return best if seconds[best] < CLEARLY * seconds["f32"] else "f32"


def _convolution_seconds(kind):
    """Returns the time of a typical convolution, forwards and backwards."""
    trunk = TRUNKS[kind]
    convolution = Convolution(TRIED_CHANNELS, TRIED_CHANNELS, 3).to(dtype=trunk, memory_format=torch.channels_last)
    if kind == "winograd":
        use_winograd(convolution)
    boards = torch.ones(32, TRIED_CHANNELS, 9, 9, dtype=trunk).to(memory_format=torch.channels_last).requires_grad_()
    start = time.perf_counter()
    convolution(boards).sum().backward()
    return time.perf_counter() - start


def keep_memory():
    """Lets the C library reuse freed memory. Otherwise a third of a step's time on a CPU is spent on fresh pages."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return
    mallopt(M_MMAP_MAX, 0)
    mallopt(M_TRIM_THRESHOLD, NEVER_TRIM)


def prefetched(batches, device):
    """Yields the batches on `device`. For a GPU they are copied while it works on the previous ones."""
    if device.type != "cuda":
        yield from (batch.to(device) for batch in batches)
        return
    torch.backends.cudnn.benchmark = True
    waiting, side = queue.Queue(AHEAD), torch.cuda.Stream(device)

    def copy():
        try:
            for batch in batches:
                with torch.cuda.stream(side):
                    moved = batch.each(torch.Tensor.pin_memory).to(device)
                    waiting.put((moved, side.record_event()))
            waiting.put(None)
        except Exception as error:  # passed on to the reader
            waiting.put(error)

    threading.Thread(target=copy, daemon=True).start()
    while (item := waiting.get()) is not None:
        if isinstance(item, Exception):
            raise item
        batch, copied = item
        current = torch.cuda.current_stream(device)
        current.wait_event(copied)
        batch.each(lambda tensor, stream=current: tensor.record_stream(stream))
        yield batch
