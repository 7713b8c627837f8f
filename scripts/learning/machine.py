"""What the trainer asks of the machine it runs on: the precision that is fastest there, and memory that stays.

Promise: nothing here changes what is learnt beyond rounding; on machines that lack what is asked for, nothing happens.
"""

import ctypes
import queue
import threading
import time

import torch

from learning.convolution import Convolution, use_winograd
from learning.winograd import WinogradError, load

# How the trunk's numbers are kept: `winograd` is f32 with Winograd's convolutions.
TRUNKS = {"bf16": torch.bfloat16, "f32": torch.float32, "winograd": torch.float32}
# A convolution is tried so often, the first time to warm up; another kind must take less than this share of the time
# of f32.
TRIES, CLEARLY, TRIED_CHANNELS = 6, 0.85, 64
# Batches which wait on the device.
AHEAD = 2
# Of glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
NEVER_TRIM = 2**31 - 1


def trunk_of(name, device):
    """The kind of trunk on a device: `name`, or for `auto` bf16 on GPUs, and on processors the one that is fastest."""
    if name != "auto":
        return name
    return "bf16" if device.type == "cuda" else _fastest()


def _fastest():
    """The kind in which this processor convolves fastest, f32 unless another is clearly faster. What a processor can do
    does not tell: of two kinds with the same instructions one takes half the time in bf16 (Zen 4), the other twice as
    long (Sapphire Rapids, its tiles hidden)."""
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
    """What one convolution of the size of a net's takes, forwards and backwards."""
    trunk = TRUNKS[kind]
    convolution = Convolution(TRIED_CHANNELS, TRIED_CHANNELS, 3).to(dtype=trunk, memory_format=torch.channels_last)
    if kind == "winograd":
        use_winograd(convolution)
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


def ahead(batches, device):
    """The batches on `device`; to a GPU they are copied while it works on those before."""
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
        except Exception as error:  # whatever it is, it is the reader's
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
